import { Cron } from 'croner';
import type { Plan } from '../turn/schedule/schedule.ts';
import { localTime, momentOf } from './local-time.ts';

/** The first planned time after a moment, both in milliseconds since 1970; null where none comes. */
export function nextTime(plan: Plan, after: number): number | null {
  if (plan.kind === 'every') return nextEvery(plan, after);
  return nextOfCron(readCron(plan.cron), plan.timeZone, after);
}

/** The planned times after a moment, `count` of them at most. */
export function nextTimes(plan: Plan, after: number, count: number): number[] {
  const times: number[] = [];
  for (let next = nextTime(plan, after); next !== null && times.length < count; next = nextTime(plan, next))
    times.push(next);
  return times;
}

/** The last planned time before a moment, no earlier than the planned time `from`. */
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

/** A plan that comes often has one of its times in a short window, so that few have to be walked. */
const WINDOWS_MS = [2_000, 60_000, 3_600_000, 86_400_000, 31 * 86_400_000, 366 * 86_400_000];

function nextEvery({ everySeconds, since }: Extract<Plan, { kind: 'every' }>, after: number): number {
  const everyMs = everySeconds * 1_000;
  const passed = Math.max(0, Math.floor((after - since) / everyMs));
  return since + (passed + 1) * everyMs;
}

/** A time that the clocks show a second time has come already: the next one is looked for. */
function nextOfCron(cron: Cron, timeZone: string, after: number): number | null {
  let local = cron.nextRun(new Date(localTime(timeZone, after)));
  while (local) {
    const at = momentOf(timeZone, local.getTime());
    if (at > after) return at;
    local = cron.nextRun(local);
  }
  return null;
}

/** The expression on clocks that never jump. Throws where it is none of five fields. */
export function readCron(cron: string): Cron {
  if (cron.trim().split(/\s+/).length !== 5) throw new TypeError('five fields');
  return new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
}
