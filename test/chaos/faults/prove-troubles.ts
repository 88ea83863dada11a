import type { History } from '../history.ts';
import { FAILING_ATTEMPTS } from '../load/write-script.ts';

type ProvenHistory = Pick<History, 'faults' | 'plans' | 'acks' | 'modelCalls' | 'ownEnds'>;

/** Adds the evidence of troubles of turns: whether their model had a request of such a turn. */
export function proveTroubles(history: ProvenHistory): History['faults'] {
  return history.faults.map((fault) => {
    const carriers = new Set(
      history.plans.filter(({ faultedBy }) => faultedBy === fault.number).map(({ number }) => number),
    );
    if (carriers.size === 0) return fault;
    const turnIds = new Set(history.acks.filter(({ plan }) => carriers.has(plan)).map(({ turnId }) => turnId));
    const met = history.modelCalls.filter(
      ({ turnId, round, generation }) => turnIds.has(turnId) && round === 1 && generation < FAILING_ATTEMPTS,
    );
    if (fault.kind !== 'poison-turn')
      return { ...fault, evidence: met.length > 0 ? `the model failed ${met.length} times` : null };
    const taken = history.ownEnds.filter(({ lastWords }) => lastWords.includes('poison taken'));
    return { ...fault, evidence: taken.length > 0 ? `${taken.length} workers took the turn` : null };
  });
}
