import type { Delta } from '../provider.ts';
import type { CallPiece } from './chunk.ts';

/** A call while it arrives; `extra` is what the server wants back with it (Gemini's thought signature). */
export type CallDraft = { index: number | null; id: string; name: string; arguments: string; extra: unknown };

/** Adds one piece to the call it belongs to, or starts that call; answers the new argument text, if there is any. */
export function gatherCall(calls: CallDraft[], piece: CallPiece): Delta[] {
  if (isBlank(piece)) return [];
  const call = findCall(calls, piece) ?? startCall(calls, piece);
  const text = argumentText(piece);
  call.id ||= piece.id ?? '';
  call.name ||= piece.function?.name ?? '';
  call.arguments += text;
  call.extra = piece.extra_content ?? call.extra;
  return text ? [{ kind: 'tool-arguments', index: calls.indexOf(call), text }] : [];
}

/** Some servers fill a form whose fields are all empty where there is no call. */
function isBlank({ id, function: named, extra_content }: CallPiece): boolean {
  return !id && !named?.name && !named?.arguments && !extra_content;
}

/** The latest call at the piece's index, of its id if there are several, unless the piece shows that it starts another. */
function findCall(calls: CallDraft[], piece: CallPiece): CallDraft | undefined {
  const index = piece.index ?? null;
  const here = index === null ? calls : calls.filter((call) => call.index === index);
  const withId = (among: CallDraft[]) => (piece.id ? among.findLast(({ id }) => id === piece.id) : undefined);
  const call = withId(here) ?? here.at(-1) ?? withId(calls);
  return call && !startsAnother(call, piece) ? call : undefined;
}

/**
 * Servers that give every whole call the index 0 or none, or all the same id, can be told by the name that comes with
 * each call. A fresh id without a name starts nothing: some servers make up a new id for every piece.
 */
function startsAnother(call: CallDraft, piece: CallPiece): boolean {
  const name = piece.function?.name;
  if (!name || !call.name) return false;
  if (name !== call.name || (piece.id && call.id && piece.id !== call.id)) return true;
  if ((piece.index ?? call.index) !== call.index) return true;
  return isWhole(call.arguments) && argumentText(piece) !== '';
}

function startCall(calls: CallDraft[], piece: CallPiece): CallDraft {
  const call: CallDraft = { index: piece.index ?? null, id: '', name: '', arguments: '', extra: null };
  calls.push(call);
  return call;
}

function argumentText(piece: CallPiece): string {
  const args = piece.function?.arguments ?? '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
