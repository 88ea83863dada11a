import { readStep } from '../step.ts';
import { isTerminal, type Turn } from '../turn.ts';
import {
  EDITION_SIZE,
  editionStart,
  LOG_START,
  type LogPosition,
  type LogStretch,
  type ResultOrder,
  readStretch,
} from './log.ts';
import { type NumberedEvent, tellPieces } from './piece.ts';

/** Behind which number to begin (-1: with the first event), and how results are ordered. */
type Reading = { after: number; orderOf: ResultOrder };

/** The committed events of a response behind a number, in order: what a stream from there tells first (contract-responses R47). */
export function* responseEvents(turn: Turn, { after, orderOf }: Reading): Generator<NumberedEvent> {
  for (const { from, pieces } of stretchesOf(turn, orderOf)) {
    yield* tellPieces(pieces, { from, place: placeBehind(after, from), isOpen: false });
  }
}

/** The unit of a stretch that follows a number, from 0. */
export function placeBehind(number: number, from: number): number {
  return Math.max(0, number - from + 1);
}

/** Returns the last number of an ended response; null while more may come. */
export function lastNumber(turn: Turn): number | null {
  let last: number | null = null;
  for (const { isEnd, from } of stretchesOf(turn, () => [])) if (isEnd) last = from;
  return last;
}

/**
 * Whether a number belongs to an edition that was given up, so that nothing follows it (contract-responses R45, R47). Of the
 * running round the row tells so once no run can be telling that edition any more.
 */
export function isSuperseded(turn: Turn, after: number): boolean {
  let position = LOG_START;
  for (const stretch of stretchesOf(turn, () => [])) {
    const { round, next } = stretch;
    if (round && after >= position.number && after < editionStart(position, round.edition)) return true;
    position = next;
  }
  return isGivenUp(turn, { position, after });
}

/** A run leaves the edition behind its own as soon as it has the lease: the one before the row's may still be told. */
function isGivenUp(
  { status, work, rounds }: Turn,
  { position, after }: { position: LogPosition; after: number },
): boolean {
  const edition = editionOf(position, after);
  if (edition < 0 || isTerminal(status) || position.rounds !== rounds.length) return false;
  if (readStep(work.step).kind !== 'round') return false;
  return edition < (work.leased ? work.edition - 1 : work.edition);
}

/** The edition of the round at a position that a number belongs to; negative where the number comes before the round. */
export function editionOf({ number }: LogPosition, after: number): number {
  return Math.floor((after - number) / EDITION_SIZE);
}

/** The whole stretches of the log, and the first that is not. */
function* stretchesOf(turn: Turn, orderOf: ResultOrder): Generator<LogStretch> {
  let position = LOG_START;
  for (;;) {
    const stretch = readStretch(turn, position, orderOf);
    if (!stretch) return;
    yield stretch;
    if (!stretch.isWhole || stretch.isEnd) return;
    position = stretch.next;
  }
}
