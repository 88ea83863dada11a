import type { History } from '../history.ts';

/** Turns that were acknowledged and are not there. */
export function lostTurns({ acks, rows }: Pick<History, 'acks' | 'rows'>): string[] {
  const there = new Set(rows.turns.map(({ id }) => id));
  return acks.filter(({ turnId }) => !there.has(turnId)).map(({ plan, turnId }) => `${turnId} of plan ${plan} is lost`);
}

/** Plans that made more than one turn, although every POST of a plan carries the same Idempotency-Key. */
export function doubledTurns({ acks, rows }: Pick<History, 'acks' | 'rows'>): string[] {
  const known = [...acks, ...rows.turns.map(({ id, plan }) => ({ turnId: id, plan }))];
  return [...Map.groupBy(known, ({ plan }) => plan)].flatMap(([plan, all]) => {
    const ids = new Set(all.map(({ turnId }) => turnId));
    return ids.size > 1 ? [`plan ${plan} made ${ids.size} turns: ${[...ids].join(', ')}`] : [];
  });
}

/** Plans that were never acknowledged, although the site was well at the end. */
export function refusedTurns({ plans, acks }: Pick<History, 'plans' | 'acks'>): string[] {
  const acked = new Set(acks.map(({ plan }) => plan));
  return plans.filter(({ number }) => !acked.has(number)).map(({ number }) => `plan ${number} was never acknowledged`);
}
