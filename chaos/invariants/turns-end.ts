import type { History } from '../history.ts';

const ENDED = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** Turns that have not ended although everything was well for long enough. */
export function stuckTurns({ rows }: Pick<History, 'rows'>): string[] {
  const stuck = rows.turns.filter(({ status }) => !ENDED.has(status));
  return stuck.map(({ id, plan, status, step }) => `${id} of plan ${plan} is still ${status} at ${step}`);
}

/** Turns that did not end exactly once. */
export function oddEnds({ rows }: Pick<History, 'rows'>): string[] {
  const eventsOf = Map.groupBy(rows.events, ({ turnId }) => turnId);
  return rows.turns.flatMap(({ id, status }) => {
    if (!ENDED.has(status)) return [];
    const ends = (eventsOf.get(id) ?? []).filter(({ type }) => ENDED.has(type.replace('turn.', '')));
    if (ends.length === 1 && ends[0]?.type === `turn.${status}`) return [];
    return [`${id} is ${status} and its events tell ${ends.map(({ type }) => type).join(', ') || 'no end'}`];
  });
}

/** Turns that ended otherwise than their script has it. */
export function wrongEnds({ plans, rows }: Pick<History, 'plans' | 'rows'>): string[] {
  const planOf = new Map(plans.map((plan) => [plan.number, plan]));
  return rows.turns.flatMap(({ id, plan: number, status, output, errorCode }) => {
    const plan = planOf.get(number);
    if (!plan || !ENDED.has(status)) return [];
    const why = errorCode ? ` (${errorCode})` : '';
    if (!plan.endings.includes(status)) return [`${id} of plan ${number} is ${status}${why}, not ${plan.endings[0]}`];
    const isRight = status !== 'completed' || output === plan.output;
    return isRight ? [] : [`${id} of plan ${number} says ${JSON.stringify(output)}, not ${plan.output}`];
  });
}
