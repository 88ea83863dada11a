import { type Piece, placePieces, type ResponseEvent, sizeOfPieces } from './piece.ts';
import { type LatestPieces, nextTelling } from './told.ts';

/** The pieces of a round as they are now: committed, or so far. */
export type RoundPieces<Event extends ResponseEvent> = LatestPieces & { pieces: Piece<Event>[] };

/** The part of a round that a stream has sent: units of its pieces, as they were then. */
export type ToldRound<Event extends ResponseEvent> = { units: number; latest: RoundPieces<Event> | null };

/** Returns the state of a stream that has sent nothing of a round. */
export function nothingTold<Event extends ResponseEvent>(): ToldRound<Event> {
  return { units: 0, latest: null };
}

/**
 * Sends the events of a round that follow those that were sent (contract-responses R46). The state is noted before an event
 * is handed out: a reader may stop after any event, and the next call continues after it. `keep` returns the pieces that
 * the state keeps for a running round: these, or others that begin with them. Returns `tell` if all pieces were sent, `wait`
 * if a new attempt has not caught up, `superseded` if it says something else.
 */
export function* tellRound<Event extends ResponseEvent>(
  told: ToldRound<Event>,
  now: RoundPieces<Event>,
  keep: (pieces: Piece<Event>[]) => Piece<Event>[] = (pieces) => pieces,
): Generator<Event, ReturnType<typeof nextTelling>> {
  const next = nextTelling(told.latest && { ...told.latest, units: told.units }, now);
  if (next !== 'tell') return next;
  // If a round has fewer pieces than were sent, the known pieces stay.
  if (sizeOfPieces(now.pieces) >= told.units) {
    told.latest = now.isCommitted ? now : { ...now, pieces: keep(now.pieces) };
  }
  const place = { from: 0, place: told.units, isOpen: !now.isCommitted };
  for (const { event, number } of placePieces(now.pieces, place)) {
    told.units = number + 1;
    yield event;
  }
  return 'tell';
}
