import type { Emit } from '../explore/model.ts';
import { at, type Kept } from '../explore/plain-model.ts';
import type { AnyFault } from '../fault.ts';

type WithRuns = Kept & { runs: unknown[] };

/** Emits a move of one run. `change` gets the same run in the next state. */
export type MayRun<S extends WithRuns> = (
  verb: string,
  change: (run: S['runs'][number], after: S) => void,
  fault?: AnyFault,
) => void;

/** Emits the possible moves of each worker, as `w1 …` and `w2 …`. */
export function moveRuns<S extends WithRuns>(
  state: S,
  emit: Emit<S>,
  move: (run: S['runs'][number], may: MayRun<S>, slot: number) => void,
): void {
  state.runs.forEach((run, slot) => {
    const may: MayRun<S> = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change(at(after.runs, slot), after), fault);
    move(run, may, slot);
  });
}

/** A state with one step that has jobs in the queue. */
type WithJobs = WithRuns & { jobs: number; runs: { at: string }[] };

/** Returns whether no job of the step is in the queue, and no worker is on it. */
export function isForgotten({ jobs, runs }: WithJobs): boolean {
  return jobs === 0 && runs.every(({ at: where }) => where === 'idle');
}

export function addJob(after: WithJobs): void {
  after.jobs += 1;
}
