import type { AskedCall } from '../../../turn/message.ts';
import type { DecidedCall } from './parse-decision.ts';

/** Decided calls with ids, `emulated_<unix nanoseconds>_<index>` (contract: words). */
export function nameEmulated(calls: DecidedCall[]): AskedCall[] {
  const now = BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
  return calls.map((call, index) => ({ id: `emulated_${now}_${index}`, ...call }));
}
