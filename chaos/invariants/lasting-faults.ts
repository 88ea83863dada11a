import type { History } from '../history.ts';
import { firstRecoveries, recoveriesOf } from '../recoveries.ts';

/** Far more than it takes (the report says how long it took), so that a busy machine is no broken promise. */
const LIMIT_MS = 30_000;

/** Faults after which none of the turns they hit had a checkpoint for too long. */
export function lastingFaults(history: History): string[] {
  const tooLong = firstRecoveries(recoveriesOf(history)).filter(({ ms }) => ms > LIMIT_MS);
  return tooLong.map(
    ({ fault, turnId, ms }) =>
      `fault ${fault.number}, ${fault.kind}, held up everybody for ${Math.round(ms / 1_000)} s after its end (${turnId})`,
  );
}
