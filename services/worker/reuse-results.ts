import { findReusable } from '#core/checkpoint/find-reusable.ts';
import { cacheKey } from '#core/tools/cache-key.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';

/** Under which key a planned call's answer may serve others, null where it may not. */
export function cacheKeyOf({ conversationId }: Turn, call: ToolCall, plan: CallPlan): string | null {
  return plan.kind === 'run' ? cacheKey(conversationId, plan.tool, call.arguments) : null;
}

/** Answers planned calls from equal ones of the conversation, where their tools allow it and the answer is young enough. */
export async function reuseResults<Planned extends { call: ToolCall; plan: CallPlan }>(
  turn: Turn,
  planned: Planned[],
  { db }: WorkerContext,
): Promise<Planned[]> {
  const wanted = planned.flatMap(({ call, plan }) => {
    const key = cacheKeyOf(turn, call, plan);
    if (key === null || plan.kind !== 'run') return [];
    return { index: call.index, cacheKey: key, ttlSeconds: plan.tool.cache_ttl_seconds };
  });
  if (wanted.length === 0) return planned;

  const found = new Map((await findReusable(db, wanted)).map((known) => [known.index, known]));
  return planned.map((one) => {
    const known = found.get(one.call.index);
    return known ? { ...one, plan: { kind: 'reuse' as const, ...known } } : one;
  });
}
