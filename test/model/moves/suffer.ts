import type { Actor } from '../actor.ts';
import { returnJob } from '../jobs.ts';
import { die } from '../leave.ts';
import { set } from '../set.ts';
import type { Emit } from '../setting.ts';
import type { Run, State } from '../state.ts';
import { expireCached } from '../turn-cache.ts';

/** Emits the faults of a worker with a job: death, sleep, an endless run, a deploy, a job that is delivered twice. */
export function sufferRun({ run, guards, may }: Actor): void {
  if (run.at === 'idle') return;
  may('dies', (mine, after) => die(after, mine), 'crash');
  if (run.isAsleep) may('wakes', wake);
  else may('falls asleep', (mine) => set(mine, { isAsleep: true, hasSlept: true }), 'stall');
  if (run.job !== 'gone') {
    // The queue takes a job from a sleeping worker only after its lock has expired, long after every cache.
    const again = (mine: Run, after: State) => {
      returnJob(after, mine);
      if (mine.isAsleep) expireCached(after, guards);
    };
    may('gets its job again', again, run.isAsleep ? undefined : 'duplicate');
  }
  const isWorking = run.at === 'asking' || run.at === 'calling';
  if (!isWorking || run.isAsleep || run.hangs) return;
  may('hangs', (mine) => set(mine, { hangs: true }), 'hang');
  if (run.stop === 'no') may('must stop', (mine) => set(mine, { stop: 'shutdown' }), 'shutdown');
}

/** Wakes a worker. Its claim is old by its own clock (R7). */
function wake(run: Run): void {
  run.isAsleep = false;
  if (run.once === 'claimed') run.once = 'stale';
}

const STEPS = ['r1', 'b1', 'r2', 'r3'] as const;

/** Emits the faults of the queue: it loses all jobs, repeats a job, or keeps an id and never hands its job out. */
export function sufferQueue(state: State, emit: Emit): void {
  const { queue, turn, next } = state;
  if (hasJobs(state)) emit('the queue loses all jobs', empty, 'flush');
  for (const step of STEPS.slice(0, STEPS.indexOf(turn.step) + 1)) {
    if (!queue[step])
      emit(`an old job of ${step} is delivered again`, (after) => set(after.queue, { [step]: true }), 'duplicate');
  }
  if (queue.now === 'waiting')
    emit(`the job of ${turn.step} is blocked`, (after) => set(after.queue, { now: 'wedged' }), 'wedge');
  if (next.job === 'waiting')
    emit('the job of the next turn is blocked', (after) => set(after.next, { job: 'wedged' }), 'wedge');
}

function hasJobs({ queue, next, runs }: State): boolean {
  return (
    queue.now !== 'none' ||
    next.job !== 'none' ||
    STEPS.some((step) => queue[step]) ||
    runs.some((run) => run.job !== 'gone')
  );
}

function empty({ queue, next, runs }: State): void {
  set(queue, { now: 'none', r1: false, b1: false, r2: false });
  next.job = 'none';
  for (const run of runs) run.job = 'gone';
}
