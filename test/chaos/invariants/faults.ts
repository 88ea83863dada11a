import type { History } from '../history.ts';
import { firstRecoveries, recoveriesOf, turnsDuring, usualDelayMs } from '../recoveries.ts';

/** The limit is far more than a recovery takes on an idle machine. The report has the times. */
const LIMIT_MS = 30_000;
/**
 * On a busy machine the limit grows with the usual delay of an unharmed turn: a recovery has as many steps as 20
 * turns.
 */
const USUAL_DELAYS = 20;

/** Returns faults after which no stopped turn had a checkpoint for too long. */
export function lastingFaults(history: History): string[] {
  const limitMs = LIMIT_MS + USUAL_DELAYS * usualDelayMs(history);
  const tooLong = firstRecoveries(recoveriesOf(history)).filter(({ ms }) => ms > limitMs);
  return tooLong.map(
    ({ fault, turnId, ms }) =>
      `fault ${fault.number}, ${fault.kind}, stopped its turns for ${Math.round(ms / 1_000)} s after its end (${turnId})`,
  );
}

/** The share of faults that must affect turns in progress. A run below it is not a valid test. */
const LEAST_SHARE = 0.7;

/** Returns faults without effect, and a run in which too few faults affected turns. */
export function emptyFaults({ faults, rows }: Pick<History, 'faults' | 'rows'>): string[] {
  const ineffective = faults.filter(({ evidence }) => evidence === null);
  const met = faults.filter((fault) => turnsDuring(fault, rows.turns) > 0);
  const isEmpty = faults.length > 0 && met.length < faults.length * LEAST_SHARE;
  return [
    ...ineffective.map(({ number, kind }) => `fault ${number}, ${kind}, had no effect`),
    ...(isEmpty ? [`only ${met.length} of ${faults.length} faults affected a turn in progress`] : []),
  ];
}

/** Returns processes that ended without a request, except workers that a poison turn killed. */
export function deadProcesses({ ownEnds }: Pick<History, 'ownEnds'>): string[] {
  const unprovoked = ownEnds.filter(({ lastWords }) => !lastWords.includes('poison taken'));
  return unprovoked.map(
    ({ part, lastWords }) => `${part} exited without a request: ${lastWords.trim().split('\n').at(-1)}`,
  );
}
