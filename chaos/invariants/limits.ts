import type { History } from '../history.ts';
import { LIMIT } from '../load/request-of.ts';

/** Turns that were given a limit and went beyond it. */
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
