import type { Actor } from '../actor.ts';
import { addJobs } from '../jobs.ts';
import { die, leave } from '../leave.ts';
import type { Run, State } from '../state.ts';

/** The end of a job: what its commit made owed is rung, then the job is acknowledged. */
export function ringBell({ run, may }: Actor): void {
  if (run.at !== 'ringing') return;
  may('rings', (mine, after) => {
    addJobs(after, mine.rings);
    leave(mine);
  });
  const dieLate = (mine: Run, after: State) => {
    addJobs(after, mine.rings);
    die(after, mine);
  };
  may('rings and dies before its job is acknowledged', dieLate, 'crash');
}
