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

/** Whether a number of the running round belongs to an edition that was given up. */
function isGivenUp(turn: Turn, { position, after }: { position: LogPosition; after: number }): boolean {
  const edition = editionOf(position, after);
  if (edition < 0 || position.rounds !== turn.rounds.length) return false;
  return edition < (latestEdition(turn)?.edition ?? 0);
}

/** The first edition of the running round that has not been given up. */
export type LatestEdition = { round: number; edition: number };

/**
 * Returns the first edition of the running round that a run may still publish, or null if no round is running. A run that takes
 * the lease increments `edition` in the same write. So under a lease the running edition is the one before the row's.
 */
export function latestEdition({ status, work }: Pick<Turn, 'status' | 'work'>): LatestEdition | null {
  const { kind, round } = readStep(work.step);
  if (isTerminal(status) || kind !== 'round') return null;
  return { round, edition: work.leased ? work.edition - 1 : work.edition };
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
