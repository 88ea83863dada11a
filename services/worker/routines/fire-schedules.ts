import { type DueSchedule, listDueSchedules } from '#core/checkpoint/schedules/firings.ts';
import { fireSchedule, type SchedulingWorker } from '../schedules/fire-schedule.ts';

/** Schedules of a portion, and how many of them are fired side by side. */
const AT_ONCE = 40;
const SIDE_BY_SIDE = 4;

const LONGEST_MS = 1_000;

/**
 * Fires the schedules whose planned times have come, portion by portion, for about `forMs`. If a schedule has several, each is a
 * firing of its own. A worker that dies leaves what it has not committed to the next one that looks (R36).
 */
export async function fireSchedules(context: SchedulingWorker, forMs = LONGEST_MS): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const due = await listDueSchedules(context.db, AT_ONCE);
    if (due.length === 0) return;
    if (!(await firePortion(due, context))) return;
  }
}

/** False where other workers are on all of them: to look again at once would find the same. */
async function firePortion(due: DueSchedule[], context: SchedulingWorker): Promise<boolean> {
  const left = due.values();
  let hasFired = false;
  const fireLeft = async () => {
    for (const schedule of left) hasFired = (await fireSchedule(schedule, context)) || hasFired;
  };
  const ends = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, fireLeft));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return hasFired;
}
