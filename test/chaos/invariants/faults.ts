import type { History } from '../history.ts';
import { firstRecoveries, recoveriesOf, turnsDuring, usualDelayMs } from '../recoveries.ts';

/** Far more than a recovery takes on an idle machine; the report has the times. */
const LIMIT_MS = 30_000;
/** On a busy machine the limit grows with the usual delay of an unharmed turn: a recovery has about as many steps as 20 turns. */
const USUAL_DELAYS = 20;

/** Faults after which none of the turns they stopped had a checkpoint for too long. */
export function lastingFaults(history: History): string[] {
  const limitMs = LIMIT_MS + USUAL_DELAYS * usualDelayMs(history);
  const tooLong = firstRecoveries(recoveriesOf(history)).filter(({ ms }) => ms > limitMs);
  return tooLong.map(
    ({ fault, turnId, ms }) =>
      `fault ${fault.number}, ${fault.kind}, stopped its turns for ${Math.round(ms / 1_000)} s after its end (${turnId})`,
  );
}

/** The share of faults that must have met turns in progress, or the run has shown nothing. */
const LEAST_SHARE = 0.7;

/** Faults without effect, and a run in which too few faults met turns. */
export function emptyFaults({ faults, rows }: Pick<History, 'faults' | 'rows'>): string[] {
  const ineffective = faults.filter(({ evidence }) => evidence === null);
  const met = faults.filter((fault) => turnsDuring(fault, rows.turns) > 0);
  const isEmpty = faults.length > 0 && met.length < faults.length * LEAST_SHARE;
  return [
    ...ineffective.map(({ number, kind }) => `fault ${number}, ${kind}, had no effect`),
    ...(isEmpty ? [`only ${met.length} of ${faults.length} faults met a turn in progress`] : []),
  ];
}

/** Processes that ended by themselves, but for workers that a poison turn killed. */
export function deadProcesses({ ownEnds }: Pick<History, 'ownEnds'>): string[] {
  const unprovoked = ownEnds.filter(({ lastWords }) => !lastWords.includes('poison taken'));
  return unprovoked.map(({ part, lastWords }) => `${part} ended by itself: ${lastWords.trim().split('\n').at(-1)}`);
}
