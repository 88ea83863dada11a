import { type Piece, sizeOfPieces } from '#core/turn/responses/piece.ts';
import type { WatchedTurn } from '../watched-turn.ts';

/** A run of a round. */
type Run = { round: number; draft: number; attempt: number };

/** The longest list of pieces of the latest run. All streams of the same kind keep it. */
type Latest<Event> = { run: string; pieces: Piece<Event>[] };

/**
 * Lets the streams of a turn keep a single list of the pieces that a running round has sent. The pieces of a run only
 * grow, so a slower stream finds its sent pieces at the beginning of the list. It does not need an older copy of the
 * text.
 */
export function makeSharedPieces<Event>() {
  const latest = new WeakMap<WatchedTurn, Latest<Event>>();

  return (watched: WatchedTurn, { round, draft, attempt }: Run, pieces: Piece<Event>[]): Piece<Event>[] => {
    const run = `${round} ${draft} ${attempt}`;
    const known = latest.get(watched);
    if (known?.run !== run) {
      latest.set(watched, { run, pieces });
      return pieces;
    }
    if (sizeOfPieces(pieces) > sizeOfPieces(known.pieces)) known.pieces.splice(0, known.pieces.length, ...pieces);
    return known.pieces;
  };
}
