import type { NewCall } from '#core/checkpoint/sql/rounds/new-calls.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { loadRecordedResults } from '#core/checkpoint/turns/reruns/recorded-results.ts';
import { retryTransient } from '#core/postgres/retry-transient.ts';
import { assignCallIds, isHandOver } from '#core/turn/call.ts';
import { type ReusedResult, reuseResults } from '#core/turn/forks/recorded-results.ts';
import type { Reply } from '#core/turn/reply.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { addWaits, NO_WAIT } from '../batch/plan-calls.ts';
import type { WorkerContext } from '../context.ts';

/**
 * Returns the calls of a reply for its commit. Each has the answer that it waits for, and its result if that is known
 * (R19).
 */
export async function newCalls(
  turn: Turn,
  { number, reply }: { number: number; reply: Reply },
  { db }: WorkerContext,
): Promise<NewCall[]> {
  const { tools, response, completion } = turn.config;
  // A response hands the call over to its client, which allows it in the next request. A completion has no form
  // for this.
  const handsApprovalsOver = Boolean(response) && !completion;
  const effectOf = new Map(tools.map((tool) => [tool.name, tool.effect]));
  const requested = await addWaits(turn, number, assignCallIds(reply.calls, turn));
  const calls = requested.map((call) => {
    const isAsked = call.waitsFor === 'approval' && handsApprovalsOver;
    return {
      ...call,
      ...(isAsked && NO_WAIT),
      effect: effectOf.get(call.name) ?? 'none',
      result: isAsked || isHandOver(tools, call.name) ? HANDED_OVER : null,
    };
  });
  const known = await knownResults(db, turn, calls);
  return calls.map((call, index) => (known[index] ? { ...call, ...NO_WAIT, ...known[index] } : call));
}

/**
 * Returns the results that the calls of a rerun reuse from its original turn. Calls of other turns reuse none (R38).
 */
async function knownResults(db: Db, turn: Turn, calls: NewCall[]): Promise<ReusedResult[]> {
  const { origin } = turn.config;
  if (origin?.kind !== 'rerun' || origin.toolResults === 'run') return [];
  const recorded = await retryTransient(() => loadRecordedResults(db, { turnId: origin.turnId, rerunId: turn.id }));
  return reuseResults(turn, calls, recorded);
}
