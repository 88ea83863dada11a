import { type DueSchedule, listDueSchedules } from '#core/checkpoint/schedules/firings.ts';
import { fireSchedule, type SchedulingWorker } from '../schedules/fire-schedule.ts';

/** The number of schedules in a batch, and the number that is fired in parallel. */
const AT_ONCE = 40;
const SIDE_BY_SIDE = 4;

const LONGEST_MS = 1_000;

/**
 * Fires due schedules, batch by batch, for about `forMs`. If several planned times of a schedule are due, each is a
 * separate firing. If a worker dies, the next worker fires the times that were not committed (R36).
 */
export async function fireSchedules(context: SchedulingWorker, forMs = LONGEST_MS): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const due = await listDueSchedules(context.db, AT_ONCE);
    if (due.length === 0) return;
    if (!(await fireBatch(due, context))) return;
  }
}

/**
 * Fires a batch. Returns false if other workers have all its schedules, since another look would find the same
 * schedules.
 */
async function fireBatch(due: DueSchedule[], context: SchedulingWorker): Promise<boolean> {
  const left = due.values();
  let hasFired = false;
  const fireLeft = async () => {
    for (const schedule of left) hasFired = (await fireSchedule(schedule, context)) || hasFired;
  };
  const ends = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, fireLeft));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return hasFired;
}
