import { createHash } from 'node:crypto';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { canonicalJson } from '../../json.ts';
import { cleanText } from '../../text.ts';
import type { RequestedCall } from '../../turn/message.ts';
import type { Delta } from '../provider.ts';
import { boundReply } from '../unusable-reply.ts';
import {
  type ArgumentsAccumulator,
  addPiece,
  hasNoArguments,
  hasWholeArguments,
  isRepeated,
  restartArguments,
  settleArguments,
  startArguments,
  unwrapArguments,
} from './arguments-accumulator.ts';

/** One delta of a call, of any wire. Omitted fields are null or empty. */
export type CallDelta = { index: number | null; id: string; name: string; text: string };

/** A call while it arrives. `place` is its index among the calls. */
export type CallAccumulator = {
  place: number;
  index: number | null;
  id: string;
  name: string;
  arguments: ArgumentsAccumulator;
  /** The last chunk with its name, counted from 1. */
  namedIn: number;
};

/** The calls of a reply in order, found by the index and the id of their deltas. */
export type CallsAccumulator = {
  all: CallAccumulator[];
  at: Map<number, CallAccumulator>;
  withId: Map<string, CallAccumulator>;
  toolNames: ReadonlySet<string>;
  chunks: number;
};

/** Starts the calls of a reply to a request that declares these tools. */
export function startCalls(toolNames: Iterable<string> = []): CallsAccumulator {
  return { all: [], at: new Map(), withId: new Map(), toolNames: new Set(toolNames), chunks: 0 };
}

/** The effect of a delta: its call, whether the delta started the call, and the new text. */
export type GatheredCall = { call: CallAccumulator; isNew: boolean; deltas: Delta[] };

/** Counts the next chunk. Two named calls of one chunk are two calls, even if they are equal. */
export function nextChunk(calls: CallsAccumulator): void {
  calls.chunks += 1;
}

/**
 * Adds one delta to its call, or starts a call. The index and the id identify a call if the server sends them:
 * - A delta that repeats a call, its name or its arguments adds no text.
 * - A name in pieces is joined if a tool of the request has the whole name.
 * - A delta with an unknown index and without name and id continues the last call.
 */
export function gatherCall(calls: CallsAccumulator, delta: CallDelta): GatheredCall {
  const known = findCall(calls, delta);
  const meaning = known ? compare(calls, known, delta) : 'another';
  if (!known || meaning === 'another') return start(calls, delta);
  if (!known.id && delta.id) giveId(calls, known, delta.id);
  if (delta.name) takeName(calls, known, delta.name);
  if (meaning === 'repeated') return { call: known, isNew: false, deltas: [] };
  if (meaning === 'corrected') restartArguments(known.arguments);
  return { call: known, isNew: false, deltas: growCall(known, delta.text) };
}

/** Returns the call as the model requested it. Missing arguments are an empty object, unless the reply was cut. */
export function requestedCall(
  { id, name, arguments: args }: CallAccumulator,
  { toolNames, isCut }: { toolNames: ReadonlySet<string>; isCut: boolean },
): RequestedCall {
  const text = cleanText(isCut ? settleArguments(args) : unwrapArguments(settleArguments(args)));
  return { id: cleanText(id), name: declaredName(cleanText(name), toolNames), arguments: text };
}

/**
 * Removes repeated calls, and calls without name and arguments beside others. A call without an id is repeated if a
 * call with an id equals it, since some servers send both `tool_calls` and `function_call`.
 */
export function distinctCalls(all: readonly CallAccumulator[]): CallAccumulator[] {
  const named = all.filter((call) => call.name !== '' || !hasNoArguments(call.arguments));
  const calls = named.length > 0 ? named : all;
  const identified = calls.filter(({ id }) => id !== '');
  const isMixed = identified.length > 0 && identified.length < calls.length;
  if (!isMixed && new Set(identified.map(({ id }) => id)).size === identified.length) return [...calls];
  const said = new Set(isMixed ? identified.map((call) => hashOf(call, '')) : []);
  return calls.filter((call) => {
    const hash = hashOf(call, call.id);
    const isFirst = !said.has(hash);
    if (call.id) said.add(hash);
    return isFirst;
  });
}

/** Returns a hash of a call, since V8 compares long texts of equal length character by character. */
function hashOf(call: CallAccumulator, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([id, call.name]))
    .update(settled(call))
    .digest('base64');
}

function settled({ arguments: args }: CallAccumulator): string {
  return canonicalJson(unwrapArguments(settleArguments(args)));
}

function start(calls: CallsAccumulator, { index, id, name, text }: CallDelta): GatheredCall {
  const place = calls.all.length;
  const call = { place, index, id: '', name, arguments: startArguments(), namedIn: name ? calls.chunks : 0 };
  boundReply(calls.all.push(call), REPLY_BOUNDS.calls, 'tool calls');
  if (index !== null) calls.at.set(index, call);
  if (id) giveId(calls, call, id);
  return { call, isNew: true, deltas: growCall(call, text) };
}

/** Adds a piece of arguments to a call, unless it repeats the complete arguments. */
export function growCall(call: CallAccumulator, text: string): Delta[] {
  const isOver = text.length > 1 && call.arguments.scan.isClosed && hasWholeArguments(call.arguments);
  const added = isOver && isRepeated(call.arguments, text) ? '' : text && addPiece(call.arguments, text);
  boundReply(call.arguments.text.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');
  return added ? [{ kind: 'tool-arguments', index: call.place, text: added }] : [];
}

/** Returns the key of an id anywhere, or of an id among the calls of one index. */
function keyOf(index: number | null, id: string): string {
  return `${index ?? 'any'} ${id}`;
}

function giveId(calls: CallsAccumulator, call: CallAccumulator, id: string): void {
  call.id = id;
  for (const key of [keyOf(null, id), keyOf(call.index, id)]) {
    const known = calls.withId.get(key);
    if (!known || known.place < call.place) calls.withId.set(key, call);
  }
}

/**
 * Returns the call with the id of a delta, or the latest call at its index. Some servers invent an id for each delta.
 */
function findCall(calls: CallsAccumulator, { index, id, name, text }: CallDelta): CallAccumulator | undefined {
  const withId = id ? (calls.withId.get(keyOf(index, id)) ?? calls.withId.get(keyOf(null, id))) : undefined;
  if (withId) return withId;
  const last = calls.all.at(-1);
  if (index === null) return last;
  const there = calls.at.get(index);
  if (id || name) return there;
  return there && !isMisplaced(there, last, text) ? there : last;
}

/**
 * Returns whether an index is wrong. Some servers send the arguments of each call under the index of the first call.
 */
function isMisplaced(there: CallAccumulator, last: CallAccumulator | undefined, text: string): boolean {
  if (last === there || !last || !text.trim() || !hasWholeArguments(there.arguments)) return false;
  return !isRepeated(there.arguments, text) && !hasWholeArguments(last.arguments);
}

/** The relation of a delta to a call that it may belong to. */
type Meaning = 'continued' | 'repeated' | 'corrected' | 'another';

/**
 * Compares a delta with a call. Some servers give every complete call the index 0, no index, or the same id. Then the
 * name with each call starts another call. A new id without a name starts none.
 */
function compare(calls: CallsAccumulator, call: CallAccumulator, delta: CallDelta): Meaning {
  if (!delta.name || !call.name) return 'continued';
  if (startsAnother(calls, call, delta)) return 'another';
  const isWhole = delta.name === call.name && delta.text.trim() !== '' && hasWholeArguments(call.arguments);
  return isWhole ? meaningOfWhole(call, delta) : 'continued';
}

function startsAnother(calls: CallsAccumulator, call: CallAccumulator, { index, id, name, text }: CallDelta): boolean {
  if (id && call.id && id !== call.id) return !isMiddle(call, { index, name, text });
  if (index !== null && call.index !== null && index !== call.index) return true;
  if (name !== call.name) return joinedName(calls, call, name) === null;
  return call.namedIn === calls.chunks && !(id && call.id);
}

/**
 * Returns whether a piece continues in the middle of arguments. Some servers invent an id and repeat the name with
 * each piece.
 */
function isMiddle(call: CallAccumulator, { index, name, text }: Omit<CallDelta, 'id'>): boolean {
  const isSame = index !== null && index === call.index && name === call.name;
  if (!isSame || hasNoArguments(call.arguments) || hasWholeArguments(call.arguments)) return false;
  return text.trim() !== '' && !text.trimStart().startsWith('{');
}

/** Returns the meaning of arguments with a name, after a call with complete arguments. */
function meaningOfWhole({ arguments: args }: CallAccumulator, { index, id, text }: CallDelta): Meaning {
  const isIdentified = id !== '' || index !== null;
  if (isIdentified && isRepeated(args, text)) return 'repeated';
  if (isIdentified && hasNoArguments(args)) return 'corrected';
  return id !== '' && index !== null ? 'corrected' : 'another';
}

function takeName(calls: CallsAccumulator, call: CallAccumulator, name: string): void {
  call.namedIn = calls.chunks;
  call.name = call.name && name !== call.name ? (joinedName(calls, call, name) ?? call.name) : name;
}

/** Returns the name of a call after another piece, or a repeated and longer name. Null if no tool has such a name. */
function joinedName({ toolNames }: CallsAccumulator, call: CallAccumulator, piece: string): string | null {
  if (!hasNoArguments(call.arguments)) return null;
  const isRoot = (name: string) => toolNames.values().some((tool) => tool.startsWith(name));
  if (piece.startsWith(call.name) && !toolNames.has(call.name) && isRoot(piece)) return piece;
  return !toolNames.has(piece) && isRoot(call.name + piece) ? call.name + piece : null;
}

/**
 * Returns the name of the tool that a model means. Some servers leave marks of a model's own format in the name:
 * `functions.get_weather:0` (Kimi), `default_api.get_weather` (Gemini), `get_weather<|channel|>json` (gpt-oss). On
 * Gemini's wire, Pawl puts `_` before a name that does not begin with a letter. The name of an unknown tool stays.
 */
export function declaredName(name: string, toolNames: ReadonlySet<string>): string {
  if (toolNames.has(name)) return name;
  const bare = name
    .replace(/^.*(?:\bfunctions\.)/s, '')
    .replace(/<\|.*$/s, '')
    .trim()
    .replace(/^(?:functions?|tools?|default_api|default)[.:/]|^_(?=[\d-])/, '')
    .replace(/:\d{1,4}$/, '');
  return toolNames.has(bare) ? bare : name;
}
