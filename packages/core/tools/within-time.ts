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

/** Runs synchronous work that a stranger's pattern could keep busy for ever. Throws `OutOfTime` after `limitMs`. */
export function withinTime<Value>(limitMs: number, work: () => Value): Value {
  const results: { value: Value }[] = [];
  box.work = () => {
    results.push({ value: work() });
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    throw isTimeout(error) ? new OutOfTime(limitMs) : error;
  } finally {
    box.work = () => {};
  }
  const [result] = results;
  if (!result) throw new OutOfTime(limitMs);
  return result.value;
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
