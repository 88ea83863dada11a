import { createContext, Script } from 'node:vm';
import { Failure } from '../failure.ts';

/** Synchronous work was stopped because it did not come to an end. */
export class OutOfTime extends Failure {
  constructor(limitMs: number) {
    super('out_of_time', `stopped after ${limitMs} ms`);
  }
}

const box = { work: () => {} };
const context = createContext(box);
const script = new Script('work()');

const MAX_TRIES = 5;

/**
 * Runs synchronous work that a stranger's pattern could keep busy for ever, and that may be begun anew. Throws
 * `OutOfTime` after `limitMs`. What stops it goes by the wall clock; on a machine so busy that the thread had less than
 * half of that time for itself, the work is tried again, five times at the most.
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
  box.work = () => {
    results.push(work());
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } finally {
    box.work = () => {};
  }
  return results[0] as Value;
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
