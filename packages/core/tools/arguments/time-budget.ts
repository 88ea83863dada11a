import { createContext, Script } from 'node:vm';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../failure.ts';

/** Runs one check within what is left of a shared time. Throws `OutOfTime`. */
export type TimeBudget = <Value>(work: () => Value) => Value;

const LEAST_MS = 5;

/**
 * A time that many synchronous checks share: each gets half of what is left of `totalMs`, at least 5 ms, and each second
 * adds `msPerSecond`. A slow check so shortens the slow ones after it and leaves the quick ones alone.
 */
export function timeBudget(totalMs: number, msPerSecond = 0): TimeBudget {
  let leftMs = totalMs;
  let at = performance.now();

  return (work) => {
    const startedAt = performance.now();
    leftMs = Math.min(totalMs, leftMs + ((startedAt - at) * msPerSecond) / 1_000);
    try {
      return withinTime(Math.max(LEAST_MS, Math.round(leftMs / 2)), work);
    } finally {
      at = performance.now();
      leftMs = Math.max(0, leftMs - (at - startedAt));
    }
  };
}

/** The time that all checks for one project share in this process, however many of its turns are worked at once. */
export function timeBudgetOf(project: string): TimeBudget {
  return byProject.memo(project);
}

/** How long checks of a project may block a process, and for how long in each second from then on. */
const PROJECT_MS = 500;
const PROJECT_MS_PER_SECOND = 50;
const byProject = new LRUCache<string, TimeBudget>({
  max: 1_000,
  memoMethod: () => timeBudget(PROJECT_MS, PROJECT_MS_PER_SECOND),
});

/** Synchronous work was stopped at its time limit. */
export class OutOfTime extends Failure {
  constructor(limitMs: number) {
    super('out_of_time', `stopped after ${limitMs} ms`);
  }
}

const sandbox = { work: () => {} };
const context = createContext(sandbox);
const script = new Script('work()');

const MAX_TRIES = 5;

/**
 * Runs synchronous work that a caller's pattern could keep busy for ever, and that may be repeated. Throws `OutOfTime`
 * after `limitMs` of wall-clock time. Where a busy machine gave the thread less than half of that, the work is repeated,
 * five times at most.
 */
export function withinTime<Value>(limitMs: number, work: () => Value): Value {
  for (let tries = 1; ; tries += 1) {
    const before = process.threadCpuUsage();
    try {
      return runStoppable(limitMs, work);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if (tries === MAX_TRIES || (user + system) / 1_000 >= limitMs / 2) throw new OutOfTime(limitMs);
    }
  }
}

function runStoppable<Value>(limitMs: number, work: () => Value): Value {
  const results: Value[] = [];
  sandbox.work = () => {
    results.push(work());
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } finally {
    sandbox.work = () => {};
  }
  return results[0] as Value;
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
