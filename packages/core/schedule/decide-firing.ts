import type { Plan } from '../turn/schedule/schedule.ts';
import { lastTime, nextTime } from './next-time.ts';

/** What a schedule does now: the planned time that it fires for, if any, and its next one. */
export type Decision = { plannedAt: number | null; nextAt: number | null };

/** A planned time that is later than this is missed. */
const MISSED_AFTER_MS = 10_000;

type Due = { nextAt: number; now: number; ifMissed: 'once' | 'skip' };

/**
 * Decides what a schedule does whose next planned time `nextAt` has come at `now`, by the clock of the database. Of times that were missed it
 * fires for the newest, or for none; each of the others gets its own firing, so that none is passed over (R36).
 */
export function decideFiring(plan: Plan, { nextAt, now, ifMissed }: Due): Decision {
  const missedBefore = now - MISSED_AFTER_MS;
  if (nextAt >= missedBefore) return { plannedAt: nextAt, nextAt: nextTime(plan, nextAt) };
  const newest = lastTime(plan, { from: nextAt, before: missedBefore });
  return { plannedAt: ifMissed === 'once' ? newest : null, nextAt: nextTime(plan, newest) };
}
