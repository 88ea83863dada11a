import { type Piece, sizeOfPieces } from '#core/turn/responses/piece.ts';
import type { WatchedTurn } from '../watched-turn.ts';

/** One run of a round. */
type Run = { round: number; edition: number; attempt: number };

/** The longest pieces of the latest run, which all streams of one kind keep. */
type Latest<Event> = { run: string; pieces: Piece<Event>[] };

/**
 * Makes the streams of a turn keep one list of the pieces that a running round has sent. The pieces of a run only grow, so a
 * stream that is behind finds what it has sent at the beginning of the list, and need not keep the text as it was then.
 */
export function makeSharedPieces<Event>() {
  const latest = new WeakMap<WatchedTurn, Latest<Event>>();

  return (watched: WatchedTurn, { round, edition, attempt }: Run, pieces: Piece<Event>[]): Piece<Event>[] => {
    const run = `${round} ${edition} ${attempt}`;
    const known = latest.get(watched);
    if (known?.run !== run) {
      latest.set(watched, { run, pieces });
      return pieces;
    }
    if (sizeOfPieces(pieces) > sizeOfPieces(known.pieces)) known.pieces.splice(0, known.pieces.length, ...pieces);
    return known.pieces;
  };
}
