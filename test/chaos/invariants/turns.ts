import type { History } from '../history.ts';
import { LIMIT } from '../load/turn-request.ts';

/** Returns turns that were acknowledged and are missing. */
export function lostTurns({ acks, rows }: Pick<History, 'acks' | 'rows'>): string[] {
  const there = new Set(rows.turns.map(({ id }) => id));
  return acks.filter(({ turnId }) => !there.has(turnId)).map(({ plan, turnId }) => `${turnId} of plan ${plan} is lost`);
}

/** Returns plans that made more than one turn, although every POST of a plan carries the same Idempotency-Key. */
export function doubledTurns({ acks, rows }: Pick<History, 'acks' | 'rows'>): string[] {
  const known = [...acks, ...rows.turns.map(({ id, plan }) => ({ turnId: id, plan }))];
  return [...Map.groupBy(known, ({ plan }) => plan)].flatMap(([plan, all]) => {
    const ids = new Set(all.map(({ turnId }) => turnId));
    return ids.size > 1 ? [`plan ${plan} made ${ids.size} turns: ${[...ids].join(', ')}`] : [];
  });
}

/** Returns plans that were never acknowledged, although all faults were over at the end. */
export function refusedTurns({ plans, acks }: Pick<History, 'plans' | 'acks'>): string[] {
  const acked = new Set(acks.map(({ plan }) => plan));
  return plans.filter(({ number }) => !acked.has(number)).map(({ number }) => `plan ${number} was never acknowledged`);
}

const ENDED = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** Returns turns that have not ended, although all faults have been over for long enough. */
export function stuckTurns({ rows }: Pick<History, 'rows'>): string[] {
  const stuck = rows.turns.filter(({ status }) => !ENDED.has(status));
  return stuck.map(({ id, plan, status, step }) => `${id} of plan ${plan} is still ${status} at ${step}`);
}

/**
 * Returns active turns without a row of `work`, and rows of `work` without an active turn. No CHECK of a table sees
 * both.
 */
export function partedWork({ rows }: Pick<History, 'rows'>): string[] {
  const without = rows.turns.filter(({ completedAt, hasWork }) => completedAt === null && !hasWork);
  return [
    ...without.map(({ id }) => `${id} has not ended and has no row of work`),
    ...rows.strayWork.map(({ turnId }) => `${turnId} has a row of work and is not active`),
  ];
}

/** Returns turns that did not end exactly once. */
export function oddEnds({ rows }: Pick<History, 'rows'>): string[] {
  const eventsOf = Map.groupBy(rows.events, ({ turnId }) => turnId);
  return rows.turns.flatMap(({ id, status }) => {
    if (!ENDED.has(status)) return [];
    const ends = (eventsOf.get(id) ?? []).filter(({ type }) => ENDED.has(type.replace('turn.', '')));
    if (ends.length === 1 && ends[0]?.type === `turn.${status}`) return [];
    return [`${id} is ${status}, but its events say ${ends.map(({ type }) => type).join(', ') || 'no end'}`];
  });
}

/** Returns turns with an end that their script does not allow. */
export function wrongEnds({ plans, rows }: Pick<History, 'plans' | 'rows'>): string[] {
  const planOf = new Map(plans.map((plan) => [plan.number, plan]));
  return rows.turns.flatMap(({ id, plan: number, status, output, errorCode }) => {
    const plan = planOf.get(number);
    if (!plan || !ENDED.has(status)) return [];
    const why = errorCode ? ` (${errorCode})` : '';
    if (!plan.endings.includes(status)) return [`${id} of plan ${number} is ${status}${why}, not ${plan.endings[0]}`];
    const isRight = status !== 'completed' || output === plan.output;
    return isRight ? [] : [`${id} of plan ${number} answered ${JSON.stringify(output)}, not ${plan.output}`];
  });
}

export function brokenLimits({ plans, rows, toolCalls }: Pick<History, 'plans' | 'rows' | 'toolCalls'>): string[] {
  const limited = new Set(plans.filter(({ shape }) => shape === 'limited').map(({ number }) => number));
  const callsOf = Map.groupBy(rows.calls, ({ turnId }) => turnId);
  const called = Map.groupBy(toolCalls, ({ mark }) => Number.parseInt(mark, 10));
  return rows.turns.flatMap(({ id, plan }) => {
    if (!limited.has(plan)) return [];
    const rounds = new Set((callsOf.get(id) ?? []).map(({ round }) => round)).size;
    const calls = new Set((called.get(plan) ?? []).map(({ mark }) => mark)).size;
    return [
      ...(rounds > LIMIT.max_rounds ? [`${id} had ${rounds} rounds with calls, more than ${LIMIT.max_rounds}`] : []),
      ...(calls > LIMIT.max_tool_calls ? [`${id} made ${calls} tool calls, more than ${LIMIT.max_tool_calls}`] : []),
    ];
  });
}

/** The allowed answers of the API to the requests of the load. 503 is always allowed, with a Retry-After. */
const DECLARED: Record<string, number[]> = {
  'POST /v1/turns': [202],
  'POST /v1/conversations': [201],
  'POST /v1/agents': [201],
  'PATCH /v1/agents/helper': [200, 409],
  'PUT /v1/agents/helper/labels/production': [200],
  'POST /v1/conversations/:id/turns': [200, 202],
  'POST /v1/turns/:id/fork': [202, 404, 409],
  'POST /v1/turns/:id/rerun': [202, 404],
  'DELETE /v1/turns/:id': [204, 404],
  'DELETE /v1/conversations/:id': [204, 404],
  'GET /v1/turns/:id/chain': [404],
  'GET /v1/conversations/:id/messages': [200],
  'POST /v1/turns/:id/cancel': [200, 409],
  'POST /v1/turns/:id/tool_outputs': [200, 409],
  'POST /v1/responses': [200, 400],
  'GET /v1/responses/:id': [200, 400],
  'DELETE /v1/responses/:id': [200, 404],
  'GET /v1/turns/:id': [200],
  'GET /v1/turns/:id/events as stream': [200, 204],
};

/** Returns answers that are not declared. */
export function oddAnswers({ answers, forks }: Pick<History, 'answers' | 'forks'>): string[] {
  // Clients that fork also ask for deleted turns.
  const ofForks = forks.answers.filter(({ route, status }) => route !== 'GET /v1/turns/:id' || status !== 404);
  const odd = [...answers, ...ofForks].filter(({ route, status, hasRetryAfter }) =>
    status === 503 ? !hasRetryAfter : !DECLARED[route]?.includes(status),
  );
  return odd.map(({ api, route, status }) => `${api} answered ${status} to ${route}`);
}
