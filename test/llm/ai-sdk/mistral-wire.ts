import type { FinishReason } from '#core/turn/reply.ts';
import type { ScriptedReply, WireScript } from '#test/llm/wire-script.ts';

const RAW: Partial<Record<FinishReason, string>> = { other: 'strange' };
const DONE = 'data: [DONE]\n\n';

/** Returns one event of a Mistral stream in its documented form. */
function mistralEvent(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  return `data: ${JSON.stringify({ id: 'cmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice], ...more })}\n\n`;
}

/** A scripted reply in the API of Mistral. Thinking is a part of the content, and usage arrives at the end. */
export const mistralWire: WireScript = {
  reply: (reply) => [...pieces(reply), ending(reply), DONE],
  cutInCall(reply) {
    const events = pieces(reply);
    const last = events.at(-1)!;
    return [...events.slice(0, -1), last.slice(0, last.length - 20)];
  },
  finishReasons: [
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['tool_calls', 'stop'],
    ['a new word', 'other'],
  ],
  finished: (raw, text) => [mistralEvent({ content: text }), mistralEvent({ content: '' }, raw), DONE],
  errorEvent: [`data: ${JSON.stringify({ object: 'error', message: 'Service unavailable', type: 'internal' })}\n\n`],
  schemaIn: ({ response_format: format }) => (format as { json_schema: { schema: unknown } }).json_schema.schema,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    body: [
      JSON.stringify({
        object: 'error',
        message: `Refused with ${status}`,
        type: 'some_error',
        param: null,
        code: null,
      }),
    ],
  }),
  uncounted: ['reasoning_tokens'],
};

function pieces({ reasoning = [], text = [], calls = [] }: ScriptedReply): string[] {
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const byTurns = Array.from({ length: longest }, (_, turn) =>
    calls.flatMap((call, index) => {
      const args = call.arguments[turn];
      if (args === undefined) return [];
      const head = turn === 0 ? { id: call.id, type: 'function' } : {};
      const name = turn === 0 ? { name: call.name } : {};
      return [mistralEvent({ content: '', tool_calls: [{ index, ...head, function: { ...name, arguments: args } }] })];
    }),
  );
  return [
    ...reasoning.map((each) =>
      mistralEvent({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: each }] }] }),
    ),
    ...text.map((each) => mistralEvent({ content: each })),
    ...byTurns.flat(),
  ];
}

function ending({ calls = [], finishReason, usage }: ScriptedReply): string {
  const reason = finishReason ?? (calls.length ? 'tool_calls' : 'stop');
  if (!usage) return mistralEvent({ content: '' }, RAW[reason] ?? reason);
  const counted = {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    num_cached_tokens: usage.cached_input_tokens,
  };
  return mistralEvent({ content: '' }, RAW[reason] ?? reason, { usage: counted });
}
