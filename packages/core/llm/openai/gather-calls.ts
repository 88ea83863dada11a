import { type JsonScan, scanJson, startJsonScan } from '../../scan-json.ts';
import { parseJson } from '../parse-json.ts';
import type { Delta } from '../provider.ts';
import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import type { CallPiece } from './chunk.ts';

/** A call while it arrives; `extra` is what the server wants back with it (Gemini's thought signature). */
export type CallDraft = {
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

/** The calls of a reply in their order, found by the index and by the id that their pieces bring. */
export type CallsDraft = {
  all: CallDraft[];
  at: Map<number, CallDraft>;
  withId: Map<string, CallDraft>;
};

/** No calls yet. */
export function startCalls(): CallsDraft {
  return { all: [], at: new Map(), withId: new Map() };
}

/** Adds one piece to the call it belongs to, or starts that call; answers the new argument text, if there is any. */
export function gatherCall(calls: CallsDraft, piece: CallPiece): Delta[] {
  if (isBlank(piece)) return [];
  const text = argumentText(piece);
  const call = findCall(calls, piece, text) ?? startCall(calls, piece);
  if (!call.id && piece.id) nameCall(calls, call, piece.id);
  call.name ||= piece.function?.name ?? '';
  call.arguments += text;
  boundReply(call.arguments.length, REPLY_LIMITS.argumentsLength, 'of arguments in one call');
  scanJson(call.scan, text);
  call.extra = piece.extra_content ?? call.extra;
  return text ? [{ kind: 'tool-arguments', index: call.place, text }] : [];
}

/** Some servers fill a form whose fields are all empty where there is no call. */
export function isBlank({ id, function: named, extra_content }: CallPiece): boolean {
  return !id && !named?.name && !named?.arguments && !extra_content;
}

/** The latest call at the piece's index, of its id if there are several, unless the piece shows that it starts another. */
function findCall(calls: CallsDraft, piece: CallPiece, text: string): CallDraft | undefined {
  const { id } = piece;
  const index = piece.index ?? null;
  const last = index === null ? calls.all.at(-1) : calls.at.get(index);
  const named = id
    ? (calls.withId.get(keyOf(index, id)) ?? (last ? undefined : calls.withId.get(keyOf(null, id))))
    : undefined;
  const call = named ?? last;
  return call && !startsAnother(call, piece, text) ? call : undefined;
}

/** Of an id anywhere, and of an id among the calls of one index. */
function keyOf(index: number | null, id: string): string {
  return `${index ?? 'any'} ${id}`;
}

function nameCall(calls: CallsDraft, call: CallDraft, id: string): void {
  call.id = id;
  for (const key of [keyOf(null, id), keyOf(call.index, id)]) {
    const known = calls.withId.get(key);
    if (!known || known.place < call.place) calls.withId.set(key, call);
  }
}

/**
 * Servers that give every whole call the index 0 or none, or all the same id, can be told by the name that comes with
 * each call. A fresh id without a name starts nothing: some servers make up a new id for every piece.
 */
function startsAnother(call: CallDraft, piece: CallPiece, text: string): boolean {
  const name = piece.function?.name;
  if (!name || !call.name) return false;
  if (name !== call.name || (piece.id && call.id && piece.id !== call.id)) return true;
  if ((piece.index ?? call.index) !== call.index) return true;
  return text !== '' && hasWholeArguments(call);
}

function startCall(calls: CallsDraft, piece: CallPiece): CallDraft {
  const place = calls.all.length;
  const index = piece.index ?? null;
  const scan = startJsonScan();
  const call: CallDraft = { place, index, id: '', name: '', arguments: '', extra: null, scan, isBroken: false };
  boundReply(calls.all.push(call), REPLY_LIMITS.calls, 'tool calls');
  if (index !== null) calls.at.set(index, call);
  return call;
}

function argumentText(piece: CallPiece): string {
  const args = piece.function?.arguments ?? '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Whether the arguments are whole; they are parsed once all that was opened is closed, and never again in vain. */
function hasWholeArguments(call: CallDraft): boolean {
  if (call.isBroken || (!call.scan.isClosed && call.arguments.length > LONGEST_PLAIN)) return false;
  const isWhole = parseJson(call.arguments) !== undefined;
  call.isBroken = call.scan.isClosed && !isWhole;
  return isWhole;
}

/** Characters of a number or a word, which nothing closes. */
const LONGEST_PLAIN = 64;
