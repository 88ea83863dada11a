import type { History } from './history.ts';
import { FAILING_TRIES } from './load/write-script.ts';

type Told = Pick<History, 'faults' | 'plans' | 'acks' | 'modelCalls' | 'ownEnds'>;

/** Says of the troubles that came with turns whether they fired: whether the model was asked by a turn that had them. */
export function proveTroubles(history: Told): History['faults'] {
  return history.faults.map((fault) => {
    const carriers = new Set(
      history.plans.filter(({ struckBy }) => struckBy === fault.number).map(({ number }) => number),
    );
    if (carriers.size === 0) return fault;
    const turnIds = new Set(history.acks.filter(({ plan }) => carriers.has(plan)).map(({ turnId }) => turnId));
    const met = history.modelCalls.filter(
      ({ turnId, round, ring }) => turnIds.has(turnId) && round === 1 && ring < FAILING_TRIES,
    );
    if (fault.kind !== 'poison-turn')
      return { ...fault, fired: met.length > 0 ? `the model met it ${met.length} times` : null };
    const taken = history.ownEnds.filter(({ lastWords }) => lastWords.includes('poison taken'));
    return { ...fault, fired: taken.length > 0 ? `${taken.length} workers took it` : null };
  });
}
