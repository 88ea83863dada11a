import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { type JsonScan, parseJson, scanJson, startJsonScan } from '../../json.ts';
import type { Delta } from '../provider.ts';
import { boundReply } from '../unusable-reply.ts';
import type { CallDelta } from './chunk.ts';

/** A call while it arrives; `extra` is what the server wants back with it (Gemini's thought signature). */
export type CallAccumulator = {
  place: number;
  index: number | null;
  id: string;
  name: string;
  arguments: string;
  extra: unknown;
  /** How far its arguments were read, and whether they can be no JSON any more. */
  scan: JsonScan;
  isBroken: boolean;
};

/** The calls of a reply in their order, found by the index and by the id that their deltas bring. */
export type CallsAccumulator = {
  all: CallAccumulator[];
  at: Map<number, CallAccumulator>;
  withId: Map<string, CallAccumulator>;
};

/** No calls yet. */
export function startCalls(): CallsAccumulator {
  return { all: [], at: new Map(), withId: new Map() };
}

/** Adds one delta to the call it belongs to, or starts that call; answers the new argument text, if there is any. */
export function gatherCall(calls: CallsAccumulator, delta: CallDelta): Delta[] {
  if (isBlank(delta)) return [];
  const text = argumentText(delta);
  const call = findCall(calls, delta, text) ?? startCall(calls, delta);
  if (!call.id && delta.id) nameCall(calls, call, delta.id);
  call.name ||= delta.function?.name ?? '';
  call.arguments += text;
  boundReply(call.arguments.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');
  scanJson(call.scan, text);
  call.extra = delta.extra_content ?? call.extra;
  return text ? [{ kind: 'tool-arguments', index: call.place, text }] : [];
}

/** Some servers send a call with all its fields empty where there is none. */
export function isBlank({ id, function: named, extra_content }: CallDelta): boolean {
  return !id && !named?.name && !named?.arguments && !extra_content;
}

/** The latest call at the delta's index, of its id if there are several, unless the delta shows that it starts another. */
function findCall(calls: CallsAccumulator, delta: CallDelta, text: string): CallAccumulator | undefined {
  const { id } = delta;
  const index = delta.index ?? null;
  const last = index === null ? calls.all.at(-1) : calls.at.get(index);
  const named = id
    ? (calls.withId.get(keyOf(index, id)) ?? (last ? undefined : calls.withId.get(keyOf(null, id))))
    : undefined;
  const call = named ?? last;
  return call && !startsAnother(call, delta, text) ? call : undefined;
}

/** Of an id anywhere, and of an id among the calls of one index. */
function keyOf(index: number | null, id: string): string {
  return `${index ?? 'any'} ${id}`;
}

function nameCall(calls: CallsAccumulator, call: CallAccumulator, id: string): void {
  call.id = id;
  for (const key of [keyOf(null, id), keyOf(call.index, id)]) {
    const known = calls.withId.get(key);
    if (!known || known.place < call.place) calls.withId.set(key, call);
  }
}

/**
 * Some servers give every whole call the index 0, no index, or the same id: there the name that comes with each call
 * starts another. A fresh id without a name starts nothing: some servers make up a new id for every delta.
 */
function startsAnother(call: CallAccumulator, delta: CallDelta, text: string): boolean {
  const name = delta.function?.name;
  if (!name || !call.name) return false;
  if (name !== call.name || (delta.id && call.id && delta.id !== call.id)) return true;
  if ((delta.index ?? call.index) !== call.index) return true;
  return text !== '' && hasWholeArguments(call);
}

function startCall(calls: CallsAccumulator, delta: CallDelta): CallAccumulator {
  const place = calls.all.length;
  const index = delta.index ?? null;
  const scan = startJsonScan();
  const call: CallAccumulator = { place, index, id: '', name: '', arguments: '', extra: null, scan, isBroken: false };
  boundReply(calls.all.push(call), REPLY_BOUNDS.calls, 'tool calls');
  if (index !== null) calls.at.set(index, call);
  return call;
}

function argumentText(delta: CallDelta): string {
  const args = delta.function?.arguments ?? '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Whether the arguments are whole; they are parsed once all that was opened is closed, and never again in vain. */
function hasWholeArguments(call: CallAccumulator): boolean {
  if (call.isBroken || (!call.scan.isClosed && call.arguments.length > LONGEST_PLAIN)) return false;
  const isWhole = parseJson(call.arguments) !== undefined;
  call.isBroken = call.scan.isClosed && !isWhole;
  return isWhole;
}

/** Characters of a number or a word, which nothing closes. */
const LONGEST_PLAIN = 64;
