import type { FinishReason } from '#core/turn/reply.ts';
import type { LooseScript, ScriptedReply, WireScript } from '#test/llm/wire-script.ts';

type Body = { type: string } & Record<string, unknown>;

export function event(body: Body): string {
  return `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
}

/** Returns the events of a message, with its start and its end around these events. */
export function message(
  middle: string[],
  stopReason: string | null,
  counted?: { start: object; end: object },
): string[] {
  const usage = (count: object | undefined) => (count ? { usage: count } : {});
  return [
    event({
      type: 'message_start',
      message: { id: 'msg_1', role: 'assistant', content: [], ...usage(counted?.start) },
    }),
    ...middle,
    event({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, ...usage(counted?.end) }),
    event({ type: 'message_stop' }),
  ];
}

export function block(index: number, start: object, pieces: object[] = []): string[] {
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...pieces.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

export function textBlock(index: number, pieces: string[]): string[] {
  return block(
    index,
    { type: 'text', text: '' },
    pieces.map((text) => ({ type: 'text_delta', text })),
  );
}

const RAW: Partial<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  other: 'strange',
};

export const anthropicWire: WireScript = {
  reply(reply) {
    const reason = reply.finishReason ?? (reply.calls?.length ? 'tool_calls' : 'stop');
    return withFirstPiece(message(blocks(reply), RAW[reason] ?? reason, counted(reply)));
  },
  cutInCall(reply) {
    const all = anthropicWire.reply(reply);
    const at = all.findIndex((each) => each.includes('input_json_delta'));
    return [...all.slice(0, at), all[at]!.slice(0, -20)];
  },
  finishReasons: [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['a new word', 'other'],
  ],
  finished: (raw, text) => message(textBlock(0, [text]), raw),
  errorEvent: [event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })],
  schemaIn: ({ output_config: output }) => (output as { format: { schema: unknown } }).format.schema,
  refusal: (status) => ({
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_1' },
    body: [JSON.stringify({ type: 'error', error: { type: TYPES.get(status) ?? 'api_error', message: 'Refused' } })],
  }),
};

const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'get_weather', input });

/** A scripted reply of servers that follow Messages loosely. */
export const looseAnthropic: LooseScript = {
  text: (texts, finish = 'end_turn') => message(texts.length ? textBlock(0, texts) : [], finish).slice(0, -1),
  sentinel: [event({ type: 'message_stop' })],
  idle: [
    ': keep-alive\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'data: {"type":"ping"}\n\n',
    'event: news\ndata: {"type":"news","index":"x"}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":null}\n\n',
  ],
  // Events without names, a delta without a block start, and an index that is a text.
  oddFields: (text) =>
    [
      { type: 'message_start', message: 'x' },
      { type: 'content_block_delta', index: '0', delta: { type: 'text_delta', text } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', container: 5 }, usage: 'none' },
    ].map((each) => `data: ${JSON.stringify(each)}\n\n`),
  unreadable: message([event({ type: 'content_block_start', index: 0, content_block: 'text' })], 'end_turn'),
  whole: (text) => ({ type: 'message', role: 'assistant', content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
  wrongKey: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  calls: (calls) =>
    message(
      calls.flatMap(({ id, args }) => block(0, use(id), [{ type: 'input_json_delta', partial_json: args }])),
      'tool_use',
    ),
  callInPieces: (texts) =>
    message(
      block(
        0,
        use('call_1'),
        texts.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
      'tool_use',
    ),
  thoughts: message(block(0, { type: 'thinking', thinking: 'Hm.', signature: 'sig' }), 'end_turn'),
  nothing: message([], 'end_turn'),
};

const TYPES = new Map([
  [401, 'authentication_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
]);

/** Joins all events up to the first piece, because the exam cuts replies after their first string. */
function withFirstPiece(events: string[]): string[] {
  const first = events.findIndex((each) => each.includes('_delta"')) + 1;
  return [events.slice(0, first).join(''), ...events.slice(first)];
}

/** Returns the blocks in sequence, but interleaves the pieces of calls, which the wire does not forbid. */
function blocks({ reasoning = [], text = [], calls = [] }: ScriptedReply): string[] {
  const thinking = reasoning.map((each) => ({ type: 'thinking_delta', thinking: each }));
  const signed = [...thinking, { type: 'signature_delta', signature: 'sig' }];
  const before = [
    ...(reasoning.length ? block(0, { type: 'thinking', thinking: '', signature: '' }, signed) : []),
    ...(text.length ? textBlock(1, text) : []),
  ];
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const starts = calls.map(({ id, name }, at) =>
    event({ type: 'content_block_start', index: at + 2, content_block: { type: 'tool_use', id, name, input: {} } }),
  );
  const byTurns = Array.from({ length: longest }, (_, turn) =>
    calls.flatMap(({ arguments: pieces }, at) => {
      const delta = { type: 'input_json_delta', partial_json: pieces[turn] };
      return pieces[turn] === undefined ? [] : [event({ type: 'content_block_delta', index: at + 2, delta })];
    }),
  );
  const ends = calls.map((_, at) => event({ type: 'content_block_stop', index: at + 2 }));
  return [...before, ...starts, ...byTurns.flat(), ...ends];
}

function counted({ usage }: ScriptedReply): { start: object; end: object } | undefined {
  if (!usage) return undefined;
  const { cached_input_tokens: cached, cache_write_tokens: written } = usage;
  const input = { input_tokens: usage.input_tokens - cached - written, cache_creation_input_tokens: written };
  return {
    start: { ...input, cache_read_input_tokens: cached, output_tokens: 1 },
    end: {
      output_tokens: usage.output_tokens,
      output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
    },
  };
}
