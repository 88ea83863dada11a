import { gzipSync } from 'node:zlib';
import {
  after,
  endless,
  endlessArguments,
  endlessItems,
  event,
  manyCalls,
  manyItems,
  named,
  oneCall,
  opening,
  piece,
  replyOf,
  textDelta,
  type Wire,
  wires,
} from './wire-pieces.ts';

/** The answer of a hostile server: its headers, and its pieces until the reader stops. */
export type Attack = {
  on: readonly Wire[];
  status?: number;
  headers?: Record<string, string>;
  /** Whether the pieces are the raw answer, with its first line. */
  isRaw?: boolean;
  /**
   * Whether the answer grows to tens of MiB before its bound. Several of them at once would fill the memory that all
   * answers share, so each is asked alone.
   */
  isLarge?: true;
  pieces(wire: Wire): Iterable<string | Uint8Array>;
};

type Failing = { says: RegExp };

const KIB = 1024;

/** A marker of `tool_mode` `inline` that contains the next marker in its text. */
export const MARKER = '[TOOL_CALL: t {"\\"';
export const MARKERS = 6500;

/** The attacks on a reader of replies. Endless attacks run until the connection is closed. */
export const attacks: Record<string, Attack & Failing> = {
  'endless data lines': { on: wires, pieces: () => endless('data: 1\n'), says: /more than 8 MiB in one event/ },
  'an endless line': { on: wires, pieces: () => after('data: ', endless('a')), says: /more than 8 MiB in one line/ },
  'an endless comment': {
    on: wires,
    isLarge: true,
    pieces: () => endless(`: ${'a'.repeat(100)}\n\n`),
    says: /more than 64 MiB in one answer/,
  },
  'a gzip bomb in a stream': {
    on: wires,
    isLarge: true,
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
    pieces: endlessArguments,
    says: /more than 1 MiB of arguments in one call/,
  },
  // The deltas are only for watchers, and the arguments arrive whole.
  'deltas of one call, for ever': {
    on: ['openai-responses'],
    pieces: endlessArguments,
    says: /more than 8 MiB of text/,
  },
  'items without an end': {
    on: ['openai-responses'],
    pieces: () => endlessItems('done', { type: 'message', role: 'assistant', content: [] }),
    says: /more than 10,000 items/,
  },
  'calls without an end': {
    on: ['openai-responses'],
    pieces: () => endlessItems('done', { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }),
    says: /more than (1,000 tool calls|10,000 items)/,
  },
  'calls that only begin': {
    on: ['openai-responses'],
    pieces: () => endlessItems('added', { type: 'function_call', call_id: 'c', name: 'f', arguments: '' }),
    says: /more than 1,000 tool calls/,
  },
  'searches without an end': {
    on: ['openai-responses'],
    pieces: () => endlessItems('done', { type: 'web_search_call', id: 'ws_1', status: 'completed' }),
    says: /more than 10,000 items/,
  },
  '20,000 items at the end': {
    on: ['openai-responses'],
    pieces: (wire) => [event(wire, manyItems(20_000))],
    says: /more than 10,000 items/,
  },
  'unknown events without an end': {
    on: ['openai-responses'],
    pieces: (wire) => endless(event(wire, { type: 'response.news.delta', output_index: 0, delta: 'x' })),
    says: /more than 500,000 events in one answer/,
  },
  'reasoning without an end': {
    on: ['openai-responses'],
    pieces: (wire) => endless(event(wire, { type: 'response.reasoning_text.delta', output_index: 0, delta: 'x' })),
    says: /more than 300,000 pieces/,
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
    isLarge: true,
    pieces: (wire) => after(opening(wire), endless(event(wire, textDelta(wire, 'a')))),
    says: /more than 300,000 pieces/,
  },
  'empty deltas without an end': {
    on: wires,
    isLarge: true,
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
    says: /could not be reached, or closed the connection \(503\)/,
  },
  'a deep error': {
    on: wires,
    status: 503,
    headers: { 'content-type': 'application/json' },
    pieces: () => [`{"error":{"message":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`],
    says: /could not be reached, or closed the connection \(503\)/,
  },
};

/** A reply with a text of markers that are never closed. */
export const markers: Attack = {
  on: wires,
  pieces: (wire) => replyOf(wire, MARKER.repeat(MARKERS)),
};

export const modelOf = (attack: string) => attack.replaceAll(/\W+/g, '-');
