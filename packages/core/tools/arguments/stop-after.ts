import { createContext, Script } from 'node:vm';
import { Failure } from '../../failure.ts';

/** Runs work within a limit. Throws `OutOfTime` beyond the limit. */
export type Bound = <Value>(work: () => Value) => Value;

/** The error for synchronous work that was stopped at its limit. */
export class OutOfTime extends Failure {
  constructor() {
    super('out_of_time', 'stopped at its limit');
  }
}

const sandbox = { work: () => {} };
const context = createContext(sandbox);
const script = new Script('work()');

/** Runs synchronous work that another process may repeat. Throws `OutOfTime` after `limitMs` of clock time. */
export function stopAfter<Value>(limitMs: number, work: () => Value): Value {
  const results: Value[] = [];
  sandbox.work = () => {
    results.push(work());
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    throw isTimeout(error) ? new OutOfTime() : error;
  } finally {
    sandbox.work = () => {};
  }
  return results[0] as Value;
}

/** Runs repeatable work. Throws `OutOfTime` after `limitMs` of CPU time. On a busy machine this only takes longer. */
export function withinCpu<Value>(limitMs: number, work: () => Value): Value {
  for (let clockMs = limitMs; ; clockMs *= 2) {
    const before = process.threadCpuUsage();
    try {
      return stopAfter(clockMs, work);
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before);
      if (!(error instanceof OutOfTime) || (user + system) / 1_000 >= limitMs * ALMOST) throw error;
    }
  }
}

/** The part of the clock time that counts as CPU time: starting and stopping the thread also takes clock time. */
const ALMOST = 0.9;

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
