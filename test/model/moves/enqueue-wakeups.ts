import type { Actor } from '../actor.ts';
import { addJobs } from '../jobs.ts';
import { die, leave } from '../leave.ts';
import type { Run, State } from '../state.ts';

/** Ends a job: enqueues the wakeups of its commit, then acknowledges the job. */
export function enqueueWakeups({ run, may }: Actor): void {
  if (run.at !== 'enqueuing') return;
  may('enqueues', (mine, after) => {
    addJobs(after, mine.wakeups);
    leave(mine);
  });
  const dieLate = (mine: Run, after: State) => {
    addJobs(after, mine.wakeups);
    die(after, mine);
  };
  may('enqueues and dies before its job is acknowledged', dieLate, 'crash');
}
