import { createContext, Script } from 'node:vm';
import { Failure } from '../../failure.ts';

/** Runs work within some limit. Throws `OutOfTime` beyond it. */
export type Bound = <Value>(work: () => Value) => Value;

/** Synchronous work was stopped at its limit. */
export class OutOfTime extends Failure {
  constructor() {
    super('out_of_time', 'stopped at its limit');
  }
}

const sandbox = { work: () => {} };
const context = createContext(sandbox);
const script = new Script('work()');

/** Runs synchronous work that may be begun again elsewhere. Throws `OutOfTime` after `limitMs` on the clock. */
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

/**
 * Throws `OutOfTime` once work that may repeat has used `limitMs` of CPU. A busy machine only makes it take longer.
 */
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

/** The clock also runs while the thread is started and stopped: not all of it is CPU time on an idle machine. */
const ALMOST = 0.9;

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
