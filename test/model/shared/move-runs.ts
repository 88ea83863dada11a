import type { Emit } from '../explore/model.ts';
import { at, type Kept } from '../explore/plain-model.ts';
import type { AnyFault } from '../fault.ts';

/** A state with workers, and the run that each may have. */
type WithRuns = Kept & { runs: unknown[] };

/** Emits a move of one run: `change` gets the same run in the state that follows. */
export type MayRun<S extends WithRuns> = (
  verb: string,
  change: (run: S['runs'][number], after: S) => void,
  fault?: AnyFault,
) => void;

/** Emits what each worker may do next, as `w1 …` and `w2 …`. */
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

/** A state whose one step has jobs in the queue. */
type WithJobs = WithRuns & { jobs: number; runs: { at: string }[] };

/** No job of the step is in the queue, and no worker is on it. */
export function isForgotten({ jobs, runs }: WithJobs): boolean {
  return jobs === 0 && runs.every(({ at: where }) => where === 'idle');
}

/** A job is added, or comes again. */
export function addJob(after: WithJobs): void {
  after.jobs += 1;
}
