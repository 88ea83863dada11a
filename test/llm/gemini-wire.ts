import type { FinishReason } from '#core/turn/reply.ts';
import type { LooseScript, ScriptedReply, WireScript } from '#test/llm/wire-script.ts';

const RAW: Record<FinishReason, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  other: 'OTHER',
};

export function geminiEvent(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function partsEvent(parts: object[], more: object = {}): string {
  return geminiEvent({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], responseId: 'r1' });
}

/** A scripted reply on the generateContent wire, with whole calls. */
export const geminiWire: WireScript = {
  reply: (reply) => [...pieces(reply), ending(reply)],
  cutInCall(reply) {
    const events = pieces({ ...reply, calls: (reply.calls ?? []).slice(0, 1) });
    const last = events.at(-1)!;
    return [...events.slice(0, -1), last.slice(0, last.length - 20)];
  },
  finishReasons: [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['OTHER', 'other'],
    ['TOO_MANY_TOOL_CALLS', 'other'],
    ['A_NEW_WORD', 'other'],
  ],
  finished: (raw, text) => [partsEvent([{ text }]), partsEvent([{ text: '' }], { finishReason: raw })],
  errorEvent: [geminiEvent({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } })],
  schemaIn: ({ generationConfig }) => (generationConfig as { responseJsonSchema: unknown }).responseJsonSchema,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', 'x-request-id': 'req_1' },
    body: [JSON.stringify({ error: { code: status, message: `Refused with ${status}`, status: 'SOME_WORD' } })],
  }),
};

const finished = (finishReason: string) => geminiEvent({ candidates: [{ finishReason }] });

/** A scripted reply of servers that follow generateContent loosely. */
export const looseGemini: LooseScript = {
  text: (texts, finish = 'STOP') => [...texts.map((text) => partsEvent([{ text }])), finished(finish)],
  sentinel: [],
  idle: [
    ': keep-alive\n\n',
    'data: {"type":"ping"}\n\n',
    'data: {"candidates":null}\n\n',
    'data: {"candidates":[],"usageMetadata":"none"}\n\n',
  ],
  // Some gateways write snake case.
  oddFields: (text) => [
    geminiEvent({
      candidates: [{ index: '0', content: { parts: [{ text, thought_signature: 5 }] } }],
      usage_metadata: 1,
    }),
    geminiEvent({ candidates: [{ finish_reason: 1 }], prompt_feedback: 'x', responseId: 7 }),
  ],
  unreadable: [partsEvent([{ text: 5 }]), finished('STOP')],
  whole: (text) => ({ candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] }),
  wrongKey: {
    error: {
      code: 400,
      message: 'API key not valid.',
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'API_KEY_INVALID' }],
    },
  },
  calls: (calls) => [
    ...calls.map(({ id, args }) => partsEvent([{ function_call: { id, name: 'get_weather', args } }])),
    finished('STOP'),
  ],
  thoughts: [partsEvent([{ text: 'Hm.', thought: true }]), finished('STOP')],
  nothing: [partsEvent([{ text: '' }]), finished('STOP')],
};

function pieces({ reasoning = [], text = [], calls = [] }: ScriptedReply): string[] {
  return [
    ...reasoning.map((each) => partsEvent([{ text: each, thought: true }])),
    ...text.map((each) => partsEvent([{ text: each }])),
    ...calls.map(({ id, name, arguments: args }) =>
      partsEvent([{ functionCall: { id, name, args: JSON.parse(args.join('')) } }]),
    ),
  ];
}

function ending({ finishReason = 'stop', usage }: ScriptedReply): string {
  const candidates = [{ content: { role: 'model' }, finishReason: RAW[finishReason], index: 0 }];
  if (!usage) return geminiEvent({ candidates });
  const usageMetadata = {
    promptTokenCount: usage.input_tokens,
    cachedContentTokenCount: usage.cached_input_tokens,
    candidatesTokenCount: usage.output_tokens - usage.reasoning_tokens,
    thoughtsTokenCount: usage.reasoning_tokens,
    totalTokenCount: usage.total_tokens,
  };
  return geminiEvent({ candidates, usageMetadata });
}
