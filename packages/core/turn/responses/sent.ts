import { draftOf } from './events.ts';
import { draftStart, type LogPosition } from './log.ts';
import { type Piece, placePieces, type ResponseEvent, type ResponsePiece, sizeOfPieces } from './piece.ts';
import type { RunningReply } from './running-round.ts';

/**
 * The part of the round at its position that a stream has sent: `units` of the pieces of a draft. `pieces` is null if
 * an earlier stream sent them, perhaps from another process. Two attempts of one draft may differ.
 */
export type SentPieces = { draft: number; attempt: number | null; units: number; pieces: ResponsePiece[] | null };

/** Returns the part of a round that the client of a stream after a number has, or null if it has no part. */
export function sentBefore(position: LogPosition, sent: number): SentPieces | null {
  const draft = draftOf(position, sent);
  if (draft < 0) return null;
  return { draft, attempt: null, units: sent - draftStart(position, draft) + 1, pieces: null };
}

/** Pieces of a round: of the committed round, or so far. */
export type LatestPieces = { draft: number; attempt: number | null; isCommitted: boolean; pieces: ResponsePiece[] };

/**
 * Decides about new pieces, after the sent pieces:
 * - `send`: send the pieces that follow
 * - `wait` until a new draft has repeated the sent text
 * - `superseded`: the sent pieces are not valid any more.
 */
export function decideSending(sent: SentPieces | null, now: LatestPieces): 'send' | 'wait' | 'superseded' {
  if (!sent) return 'send';
  if (!sent.pieces) return afterAnother(sent, now);
  if (now.draft < sent.draft) return now.isCommitted ? 'superseded' : 'wait';
  if (now.draft === sent.draft && now.attempt === sent.attempt && !now.isCommitted) return 'send';
  const likeness = comparePieces(now.pieces, { pieces: sent.pieces, units: sent.units });
  if (likeness === 'same') return 'send';
  return likeness === 'shorter' && !now.isCommitted ? 'wait' : 'superseded';
}

/**
 * Decides when another stream sent the pieces, so that only their draft number is known. A higher number waits
 * until the round reaches its draft.
 */
function afterAnother(sent: SentPieces, now: LatestPieces): 'send' | 'wait' | 'superseded' {
  if (now.draft > sent.draft) return 'superseded';
  return now.isCommitted || now.draft === sent.draft ? 'send' : 'wait';
}

type Likeness = 'same' | 'shorter' | 'different';

/**
 * Compares pieces with the sent pieces of another draft, unit by unit. The new pieces repeat all sent units, or only
 * the first units, or differ. `sent` has the sent pieces and their number of units.
 */
export function comparePieces(
  pieces: readonly ResponsePiece[],
  sent: { pieces: readonly ResponsePiece[]; units: number },
): Likeness {
  let left = sent.units;
  for (const [index, before] of sent.pieces.entries()) {
    if (left <= 0) return 'same';
    const now = pieces[index];
    if (!now) return 'shorter';
    const likeness = compareOne(now, before, left);
    if (likeness === 'shorter' && index < pieces.length - 1) return 'different';
    if (likeness !== 'same') return likeness;
    left -= sizeOfPieces([before]);
  }
  return 'same';
}

/**
 * Compares a piece with the first units of another piece. A shorter text may still grow if no piece follows it. If a
 * piece was sent after the text, the text was complete.
 */
function compareOne(now: ResponsePiece, before: ResponsePiece, units: number): Likeness {
  if (now.kind !== 'text' || before.kind !== 'text') return isSame(now, before) ? 'same' : 'different';
  if (!isSame(now.event, before.event)) return 'different';
  const known = before.text.slice(0, units);
  if (units > before.text.length ? now.text === known : now.text.startsWith(known)) return 'same';
  return known.startsWith(now.text) ? 'shorter' : 'different';
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The pieces of a round: of the committed round, or so far. */
export type RoundPieces<Event extends ResponseEvent> = LatestPieces & { pieces: Piece<Event>[] };

/** The part of a round that a stream has sent: units of its pieces at that time. */
export type SentRound<Event extends ResponseEvent> = { units: number; latest: RoundPieces<Event> | null };

/** Returns the pieces of a running round for the state of a stream: these pieces, or others that begin with them. */
export type RunningPieces<Event> = (running: RunningReply, pieces: Piece<Event>[]) => Piece<Event>[];

/** Returns the state of a stream before the first event of a round. */
export function nothingSent<Event extends ResponseEvent>(): SentRound<Event> {
  return { units: 0, latest: null };
}

/**
 * Yields the new events of a round to send. The state changes before an event is yielded, so the reader may stop after
 * any event, and the next call continues after it. `keep` returns the pieces that the state holds for a running round:
 * these, or others that begin with them. Returns `send` if all pieces were sent, `wait` if a new draft has not caught
 * up, `superseded` if it differs.
 */
export function* sendRound<Event extends ResponseEvent>(
  sent: SentRound<Event>,
  now: RoundPieces<Event>,
  keep: (pieces: Piece<Event>[]) => Piece<Event>[] = (pieces) => pieces,
): Generator<Event, ReturnType<typeof decideSending>> {
  const next = decideSending(sent.latest && { ...sent.latest, units: sent.units }, now);
  if (next !== 'send') return next;
  // If a round has fewer pieces than were sent, the known pieces stay.
  if (sizeOfPieces(now.pieces) >= sent.units) {
    sent.latest = now.isCommitted ? now : { ...now, pieces: keep(now.pieces) };
  }
  const place = { from: 0, place: sent.units, isOpen: !now.isCommitted };
  for (const { event, number } of placePieces(now.pieces, place)) {
    sent.units = number + 1;
    yield event;
  }
  return 'send';
}
