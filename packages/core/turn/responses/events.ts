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

/** `after`: the number before the first event (-1 for all events). `orderOf`: the order of results. */
type Reading = { after: number; orderOf: ResultOrder };

/** Returns the committed events of a response after a number, in order. A stream from there sends them first. */
export function* responseEvents(turn: Turn, { after, orderOf }: Reading): Generator<NumberedEvent> {
  for (const { from, pieces } of stretchesOf(turn, orderOf)) {
    yield* tellPieces(pieces, { from, place: placeBehind(after, from), isOpen: false });
  }
}

/** Returns the unit of a window after a number, from 0. */
export function placeBehind(number: number, from: number): number {
  return Math.max(0, number - from + 1);
}

/** Returns the last number of an ended response, or null while more events may follow. */
export function lastNumber(turn: Turn): number | null {
  let last: number | null = null;
  for (const { isEnd, from } of stretchesOf(turn, () => [])) if (isEnd) last = from;
  return last;
}

/**
 * Returns whether a number belongs to an abandoned attempt, so that no event follows it. For the running round, the
 * row shows that only after no run can publish that attempt any more.
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

/** Returns whether a number of the running round belongs to an abandoned attempt. */
function isGivenUp(turn: Turn, { position, after }: { position: LogPosition; after: number }): boolean {
  const edition = editionOf(position, after);
  if (edition < 0 || position.rounds !== turn.rounds.length) return false;
  return edition < (latestEdition(turn)?.edition ?? 0);
}

/** The first attempt number of the running round that is not abandoned. */
export type LatestEdition = { round: number; edition: number };

/**
 * Returns the first attempt number of the running round that a run may still publish, or null if no round is running.
 * A run that takes the lease increments `edition` in the same write. So under a lease the running number precedes the
 * row's.
 */
export function latestEdition({ status, work }: Pick<Turn, 'status' | 'work'>): LatestEdition | null {
  const { kind, round } = readStep(work.step);
  if (isTerminal(status) || kind !== 'round') return null;
  return { round, edition: work.leased ? work.edition - 1 : work.edition };
}

/**
 * Returns the attempt that a number belongs to, for the round at a position. Negative if the number precedes the
 * round.
 */
export function editionOf({ number }: LogPosition, after: number): number {
  return Math.floor((after - number) / EDITION_SIZE);
}

/** Returns the complete windows of the log and the first incomplete window. */
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
