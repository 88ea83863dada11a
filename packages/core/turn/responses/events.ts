import { readStep } from '../step.ts';
import { isTerminal, type Turn } from '../turn.ts';
import {
  DRAFT_SIZE,
  draftStart,
  LOG_START,
  type LogPosition,
  type LogSection,
  type ResultOrder,
  readSection,
} from './log.ts';
import { eventsOfPieces, type NumberedEvent } from './piece.ts';

/** `after`: the number before the first event (-1 for all events). `orderOf`: the order of results. */
type Reading = { after: number; orderOf: ResultOrder };

/** Returns the committed events of a response after a number, in order. A stream from there sends them first. */
export function* responseEvents(turn: Turn, { after, orderOf }: Reading): Generator<NumberedEvent> {
  for (const { from, pieces } of sectionsOf(turn, orderOf)) {
    yield* eventsOfPieces(pieces, { from, place: placeAfter(after, from), isOpen: false });
  }
}

/** Returns the unit of a section after a number, from 0. */
export function placeAfter(number: number, from: number): number {
  return Math.max(0, number - from + 1);
}

/** Returns the last number of an ended response, or null while more events may follow. */
export function lastNumber(turn: Turn): number | null {
  let last: number | null = null;
  for (const { isEnd, from } of sectionsOf(turn, () => [])) if (isEnd) last = from;
  return last;
}

/**
 * Returns whether a number belongs to an abandoned draft, so that no event follows it. For the running round, the row
 * says so only after no run can publish that draft any more.
 */
export function isSuperseded(turn: Turn, after: number): boolean {
  let position = LOG_START;
  for (const section of sectionsOf(turn, () => [])) {
    const { round, next } = section;
    if (round && after >= position.number && after < draftStart(position, round.draft)) return true;
    position = next;
  }
  return isGivenUp(turn, { position, after });
}

/** Returns whether a number of the running round belongs to an abandoned draft. */
function isGivenUp(turn: Turn, { position, after }: { position: LogPosition; after: number }): boolean {
  const draft = draftOf(position, after);
  if (draft < 0 || position.rounds !== turn.rounds.length) return false;
  return draft < (latestDraft(turn)?.draft ?? 0);
}

/** The first draft number of the running round that is not abandoned. */
export type LatestDraft = { round: number; draft: number };

/**
 * Returns the first draft of the running round that a run may still publish, or null if no round is running. A run
 * that takes the lease increments `draft` in the same write. So under a lease the running draft precedes the row's.
 */
export function latestDraft({ status, work }: Pick<Turn, 'status' | 'work'>): LatestDraft | null {
  const { kind, round } = readStep(work.step);
  if (isTerminal(status) || kind !== 'round') return null;
  return { round, draft: work.leased ? work.draft - 1 : work.draft };
}

/**
 * Returns the draft that a number belongs to, for the round at a position. Negative if the number precedes the round.
 */
export function draftOf({ number }: LogPosition, after: number): number {
  return Math.floor((after - number) / DRAFT_SIZE);
}

/** Returns the complete sections of the log and the first incomplete section. */
function* sectionsOf(turn: Turn, orderOf: ResultOrder): Generator<LogSection> {
  let position = LOG_START;
  for (;;) {
    const section = readSection(turn, position, orderOf);
    if (!section) return;
    yield section;
    if (!section.isWhole || section.isEnd) return;
    position = section.next;
  }
}
