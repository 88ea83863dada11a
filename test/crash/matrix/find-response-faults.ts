import { isDeepStrictEqual } from 'node:util';
import type { Observed, ObservedTurn } from './observe.ts';

/** A death before the commit of an id: no process knows the response, so its round is asked again. */
const BEFORE_COMMIT = /^before .*saveResponse /;

/**
 * Returns the faults of rounds that are asked in the background. A death after the commit of the id adds no request to
 * the model. At the end the model keeps only responses without a committed id, and all usage is counted once.
 */
export function findResponseFaults(now: Observed, undisturbed: Observed, point: string): string[] {
  if (!undisturbed.turns.some(({ responseRequests }) => responseRequests.length > 0)) return [];
  const unknown = BEFORE_COMMIT.test(point) ? 1 : 0;
  const left = now.turns.flatMap(({ keptResponses }) => keptResponses);
  return [
    ...now.turns.flatMap((turn, index) => faultsOfRounds(turn, undisturbed.turns[index], unknown)),
    ...(left.length > unknown ? [`${left.length} responses are left at the model`] : []),
    ...(now.responseRows > 0 ? [`${now.responseRows} rows of responses are left`] : []),
    ...(isDeepStrictEqual(now.usage, undisturbed.usage)
      ? []
      : [`usage: ${JSON.stringify(now.usage)} instead of ${JSON.stringify(undisturbed.usage)}`]),
  ];
}

/** Checks that no round is asked more often than without the death, except for `unknown` more requests of the turn. */
function faultsOfRounds(now: ObservedTurn, undisturbed: ObservedTurn | undefined, unknown: number): string[] {
  const before = undisturbed?.modelRequests ?? [];
  const asked = Map.groupBy(now.modelRequests, ({ round }) => round);
  let left = unknown;
  return [...asked].flatMap(([number, requests]) => {
    const expected = before.filter(({ round }) => round === number);
    left -= Math.max(0, requests.length - expected.length);
    return left < 0 ? [`round ${number} was asked ${requests.length} times`] : [];
  });
}
