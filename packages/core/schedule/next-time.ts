import { Cron } from 'croner';
import type { Plan } from '../turn/schedule/schedule.ts';
import { localTime, momentsOf, nextJumpBack } from './local-time.ts';

/** Returns the first planned time after a moment, both in milliseconds since 1970, or null if there is none. */
export function nextTime(plan: Plan, after: number): number | null {
  if (plan.kind === 'every') return nextEvery(plan, after);
  return repeats(plan.cron) ? nextRepeated(plan, after) : nextFixed(plan, after);
}

/** Returns up to `count` planned times after a moment. */
export function nextTimes(plan: Plan, after: number, count: number): number[] {
  const times: number[] = [];
  for (let next = nextTime(plan, after); next !== null && times.length < count; next = nextTime(plan, next))
    times.push(next);
  return times;
}

/** Returns the last planned time before a moment, no earlier than the planned time `from`. */
export function lastTime(plan: Plan, { from, before }: { from: number; before: number }): number {
  const since = WINDOWS_MS.map((window) => before - window).find((start) => {
    const next = start > from ? nextTime(plan, start) : null;
    return next !== null && next < before;
  });
  let last = from;
  for (let next = nextTime(plan, since ?? from); next !== null && next < before; next = nextTime(plan, next))
    last = next;
  return last;
}

/**
 * Windows for the search for the last time. A frequent plan has a time in a short window, so that few times are
 * walked.
 */
const WINDOWS_MS = [2_000, 60_000, 3_600_000, 86_400_000, 31 * 86_400_000, 366 * 86_400_000];

function nextEvery({ everySeconds, since }: Extract<Plan, { kind: 'every' }>, after: number): number {
  const everyMs = everySeconds * 1_000;
  const passed = Math.max(0, Math.floor((after - since) / everyMs));
  return since + (passed + 1) * everyMs;
}

type CronPlan = Extract<Plan, { kind: 'cron' }>;

/** Returns whether a plan has `*` (`?` is the same) in minute or hour. Other plans name fixed local times. */
function repeats(cron: string): boolean {
  return /[*?]/.test(cron.trim().split(/\s+/).slice(0, 2).join());
}

/** Returns the next fixed local time. If the clocks show it twice, only the first time counts. */
function nextFixed({ cron, timeZone }: CronPlan, after: number): number | null {
  const momentOf = (local: number) =>
    momentsOf(timeZone, local)
      .slice(0, 1)
      .find((at) => at > after);
  return firstMoment(cron, localTime(timeZone, after), momentOf);
}

/**
 * Returns the next moment at which the clocks show a planned time. After they go back, they show earlier times again.
 */
function nextRepeated({ cron, timeZone }: CronPlan, after: number): number | null {
  const momentAfter = (start: number) => (local: number) => momentsOf(timeZone, local).find((at) => at > start);
  const next = firstMoment(cron, localTime(timeZone, after), momentAfter(after));
  const jump = nextJumpBack(timeZone, after);
  if (next === null || jump === null || next < jump) return next;
  return firstMoment(cron, localTime(timeZone, jump) - 1_000, momentAfter(jump - 1));
}

function firstMoment(cron: string, local: number, momentOf: (local: number) => number | undefined): number | null {
  const expression = readCron(cron);
  for (let next = expression.nextRun(new Date(local)); next; next = expression.nextRun(next)) {
    const at = momentOf(next.getTime());
    if (at !== undefined) return at;
  }
  return null;
}

/** Reads the expression for clocks that never jump. Throws if it does not have five fields. */
export function readCron(cron: string): Cron {
  if (cron.trim().split(/\s+/).length !== 5) throw new TypeError('five fields');
  return new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
}

/** The next action of a schedule: the planned time that it fires for, if any, and the next planned time. */
export type Decision = { plannedAt: number | null; nextAt: number | null };

const MISSED_AFTER_MS = 10_000;

type Due = { nextAt: number; now: number; ifMissed: 'once' | 'skip' };

/**
 * Decides how a schedule fires at or after its next planned time `nextAt`. `now` is the time of the database. Of
 * missed times, it fires for the newest or for none. Each other time gets its own firing, so that none is skipped
 * (R36).
 */
export function decideFiring(plan: Plan, { nextAt, now, ifMissed }: Due): Decision {
  const missedBefore = now - MISSED_AFTER_MS;
  if (nextAt >= missedBefore) return { plannedAt: nextAt, nextAt: nextTime(plan, nextAt) };
  const newest = lastTime(plan, { from: nextAt, before: missedBefore });
  return { plannedAt: ifMissed === 'once' ? newest : null, nextAt: nextTime(plan, newest) };
}
