import type { FinishReason } from '#core/turn/reply.ts';
import type { LooseScript, ScriptedReply, WireScript } from '#test/llm/wire-script.ts';

const RAW: Partial<Record<FinishReason, string>> = { other: 'strange' };

export function event(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [choice], ...more })}\n\n`;
}

const DONE = 'data: [DONE]\n\n';

export const openaiWire: WireScript = {
  reply: (reply) => [...pieces(reply), ...ending(reply), DONE],
  cutInCall(reply) {
    const events = pieces(reply);
    const last = events.at(-1)!;
    return [...events.slice(0, -1), last.slice(0, last.length - 20)];
  },
  finishReasons: [
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'stop'],
    ['a new word', 'other'],
  ],
  finished: (raw, text) => [event({ content: text }), event({}, raw), DONE],
  errorEvent: [`data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error' } })}\n\n`],
  schemaIn: ({ response_format: format }) => (format as { json_schema: { schema: unknown } }).json_schema.schema,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    body: [JSON.stringify({ error: { message: `Refused with ${status}`, type: 'some_error', code: null } })],
  }),
};

const called = (call: object) => event({ tool_calls: [call] });
const odd = { refusal: 7, reasoning: { parts: [] }, reasoning_content: ['x'], reasoning_details: 'x' };

/** A scripted reply of servers that follow Chat Completions loosely. */
export const looseOpenai: LooseScript = {
  text: (texts, finish = 'stop') => [...texts.map((content) => event({ content })), event({}, finish)],
  sentinel: [DONE],
  idle: [
    ': keep-alive\n\n',
    'data: {"type":"ping"}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'data: {"object":"chat.completion.chunk","choices":null,"usage":null}\n\n',
    'data: {"choices":[{"index":0,"delta":null,"logprobs":5}],"usage":"none"}\n\n',
  ],
  oddFields: (content) => [
    `data: ${JSON.stringify({ id: 1, choices: [{ index: '0', delta: { content, ...odd }, finish_reason: null }] })}\n\n`,
    event({ role: 5, content: null }, 'stop', { usage: { prompt_tokens: 'x' }, x_groq: 1, created: 'now' }),
  ],
  unreadable: [event({ content: 5 }), event({}, 'stop')],
  whole: (content) => ({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
  wrongKey: { error: { message: 'Invalid API key', type: 'authentication_error', code: 'invalid_api_key' } },
  calls: (calls) => [
    ...calls.map(({ id, args }) =>
      called({ index: 0, id, type: 'function', function: { name: 'get_weather', arguments: args } }),
    ),
    event({}, 'tool_calls'),
  ],
  callInPieces: (texts) => [
    called({ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }),
    ...texts.map((text) => called({ index: 0, function: { arguments: text } })),
    event({}, 'tool_calls'),
  ],
  thoughts: [event({ reasoning_content: 'Hm.' }), event({}, 'stop')],
  nothing: [event({ content: '\n' }), event({}, 'stop')],
};

function pieces({ reasoning = [], text = [], calls = [] }: ScriptedReply): string[] {
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const byTurns = Array.from({ length: longest }, (_, turn) =>
    calls.flatMap((call, index) => {
      const args = call.arguments[turn];
      if (args === undefined) return [];
      const head = turn === 0 ? { id: call.id, type: 'function' } : {};
      const name = turn === 0 ? { name: call.name } : {};
      return [event({ tool_calls: [{ index, ...head, function: { ...name, arguments: args } }] })];
    }),
  );
  return [
    ...reasoning.map((each) => event({ reasoning_content: each })),
    ...text.map((each) => event({ content: each })),
    ...byTurns.flat(),
  ];
}

function ending({ calls = [], finishReason, usage }: ScriptedReply): string[] {
  const reason = finishReason ?? (calls.length ? 'tool_calls' : 'stop');
  const finish = event({}, RAW[reason] ?? reason);
  if (!usage) return [finish];
  const counted = {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: {
      cached_tokens: usage.cached_input_tokens,
      cache_write_tokens: usage.cache_write_tokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
  };
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage: counted };
  return [finish, `data: ${JSON.stringify(chunk)}\n\n`];
}
