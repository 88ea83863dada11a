import { gzipSync } from 'node:zlib';

export const wires = ['openai', 'anthropic', 'gemini'] as const;
export type Wire = (typeof wires)[number];

/** What a hostile server sends: its headers and, for as long as they are taken, its pieces. */
export type Attack = {
  on: readonly Wire[];
  status?: number;
  headers?: Record<string, string>;
  /** The pieces are the answer itself, its first line included. */
  isRaw?: boolean;
  pieces(wire: Wire): Iterable<string | Uint8Array>;
};

/** What the failed attempt says. */
type Failing = { says: RegExp };

const KIB = 1024;
const BLOCK = 64 * KIB;

/** A marker of `tool_mode` `inline` that holds the next one in its text. */
export const MARKER = '[TOOL_CALL: t {"\\"';
export const MARKERS = 6500;

/** Each way to overwhelm who reads a reply; those without an end go on until the connection is closed. */
export const attacks: Record<string, Attack & Failing> = {
  'endless data lines': { on: wires, pieces: () => endless('data: 1\n'), says: /more than 8 MiB in one event/ },
  'an endless line': { on: wires, pieces: () => after('data: ', endless('a')), says: /more than 8 MiB in one line/ },
  'an endless comment': {
    on: wires,
    pieces: () => endless(`: ${'a'.repeat(100)}\n\n`),
    says: /more than 64 MiB in one answer/,
  },
  'a gzip bomb in a stream': {
    on: wires,
    headers: { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' },
    pieces: () => [gzipSync(`: ${'a'.repeat(1000)}\n\n`.repeat(80 * KIB))],
    says: /more than 64 MiB in one answer/,
  },
  'a gzip bomb sent whole': {
    on: wires,
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    pieces: () => [gzipSync(`{"a":"${'a'.repeat(80 * KIB * KIB)}"}`)],
    says: /more than 8 MiB in one answer/,
  },
  '100,000 calls in one chunk': {
    on: wires,
    pieces: (wire) => [event(wire, manyCalls(wire, 100_000))],
    says: /more than (250,000 JSON values|8 MiB) in one event/,
  },
  '10,000 calls in one chunk': {
    on: wires,
    pieces: (wire) => [event(wire, manyCalls(wire, 10_000))],
    says: /more than 1,000 tool calls/,
  },
  'a name in each piece of a call': {
    on: ['openai'],
    pieces: (wire) => after(event(wire, piece('{"a":"')), endless(event(wire, piece('x'.repeat(100))))),
    says: /more than 1 MiB of arguments in one call/,
  },
  'arguments without an end': {
    on: ['openai', 'anthropic'],
    pieces: (wire) => endlessArguments(wire),
    says: /more than 1 MiB of arguments in one call/,
  },
  'a name of 100 KB': {
    on: wires,
    pieces: (wire) => oneCall(wire, 'n'.repeat(100 * KIB), '{}'),
    says: /more than 256 characters in the name of a tool/,
  },
  'deep JSON': {
    on: wires,
    pieces: (wire) => [`${named(wire)}data: {"a":${'['.repeat(1_000_000)}\n\n`],
    says: /more than 100 levels of JSON in one event/,
  },
  'wide JSON': {
    on: wires,
    pieces: (wire) => [`${named(wire)}data: {"choices":[${'[],'.repeat(2_000_000)}[]]}\n\n`],
    says: /more than 250,000 JSON values in one event/,
  },
  'tiny deltas without an end': {
    on: wires,
    pieces: (wire) => after(opening(wire), endless(event(wire, textDelta(wire, 'a')))),
    says: /more than 300,000 pieces/,
  },
  'empty deltas without an end': {
    on: wires,
    pieces: (wire) => after(opening(wire), endless(event(wire, textDelta(wire, '')))),
    says: /more than 500,000 events in one answer/,
  },
  'headers without an end': {
    on: wires,
    isRaw: true,
    pieces: () => after('HTTP/1.1 200 OK\r\n', endless(`x-more: ${'a'.repeat(100)}\r\n`)),
    says: /more than 16 KiB of headers/,
  },
  'an error without an end': {
    on: wires,
    status: 503,
    headers: { 'content-type': 'application/json' },
    pieces: () => after('{"error":{"message":"', endless('no ')),
    says: /could not be reached, or broke off \(503\)/,
  },
  'a deep error': {
    on: wires,
    status: 503,
    headers: { 'content-type': 'application/json' },
    pieces: () => [`{"error":{"message":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`],
    says: /could not be reached, or broke off \(503\)/,
  },
};

/** A text of markers that nothing closes: a reply like any other. */
export const markers: Attack = {
  on: wires,
  pieces: (wire) => replyOf(wire, MARKER.repeat(MARKERS)),
};

/** The name of an attack as the name of a model. */
export const modelOf = (attack: string) => attack.replaceAll(/\W+/g, '-');

/** Blocks of a text that repeats, made once; a reader that takes none stops it. */
function* endless(text: string): Generator<Uint8Array> {
  const block = Buffer.from(text.repeat(Math.max(1, Math.floor(BLOCK / text.length))));
  for (;;) yield block;
}

function* after(first: string, rest: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  yield first;
  yield* rest;
}

function event(wire: Wire, data: object): string {
  return `${named(wire, data)}data: ${JSON.stringify(data)}\n\n`;
}

function named(wire: Wire, data: object = {}): string {
  return wire === 'anthropic' ? `event: ${'type' in data ? data.type : 'message'}\n` : '';
}

function piece(args: string): object {
  return chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: args } }] });
}

function chunk(delta: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function parts(all: object[], finishReason?: string): object {
  return { candidates: [{ content: { parts: all }, finishReason }] };
}

function opening(wire: Wire): string {
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  return wire === 'anthropic' ? event(wire, block) : '';
}

function textDelta(wire: Wire, text: string): object {
  if (wire === 'openai') return chunk({ content: text });
  if (wire === 'gemini') return parts([{ text }]);
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
}

function endlessArguments(wire: Wire): Iterable<string | Uint8Array> {
  const part = 'x'.repeat(1000);
  if (wire === 'openai') {
    const more = chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] });
    return after(event(wire, piece('{"a":"')), endless(event(wire, more)));
  }
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'x', name: 'f' } };
  const more = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: part } };
  return after(event(wire, start), endless(event(wire, more)));
}

function manyCalls(wire: Wire, count: number): object {
  const numbers = Array.from({ length: count }, (_, index) => index);
  if (wire === 'openai') {
    return chunk({
      tool_calls: numbers.map((index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } })),
    });
  }
  if (wire === 'gemini') return parts(numbers.map(() => ({ functionCall: { name: 'f', args: {} } })));
  return {
    type: 'message',
    stop_reason: 'tool_use',
    content: numbers.map((index) => ({ type: 'tool_use', id: `c${index}`, name: 'f', input: {} })),
  };
}

/** A reply of one call, with its end. */
function oneCall(wire: Wire, name: string, args: string): string[] {
  if (wire === 'gemini') return [event(wire, parts([{ functionCall: { name, args: {} } }], 'STOP'))];
  if (wire === 'openai') {
    const call = { index: 0, id: 'x', function: { name, arguments: args } };
    return [event(wire, chunk({ tool_calls: [call] })), event(wire, chunk({}, 'tool_calls'))];
  }
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'x', name } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ].map((each) => event(wire, each));
}

function replyOf(wire: Wire, text: string): string[] {
  if (wire === 'gemini') return [event(wire, parts([{ text }], 'STOP'))];
  if (wire === 'openai') return [event(wire, chunk({ content: text })), event(wire, chunk({}, 'stop'))];
  return [event(wire, { type: 'message', stop_reason: 'end_turn', content: [{ type: 'text', text }] })];
}
