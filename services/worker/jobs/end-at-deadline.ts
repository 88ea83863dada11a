import { endTurn } from '#core/checkpoint/end-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';

/**
 * Ends a turn at its deadline, also while a worker is on it: like a cancel, and without a summary (contract: limits).
 * `failedRequests` were made of the model and are cut off by it.
 */
export async function endAtDeadline(
  { id, conversationId }: Turn,
  { db, live, audience, log }: WorkerContext,
  failedRequests = 0,
): Promise<Ring[]> {
  const because = { status: 'incomplete' as const, incompleteReason: 'deadline' as const };
  const ending = { turnId: id, conversationId, ...because, failedRequests };
  const rings = await persist(() => db.transaction().execute((trx) => endTurn(trx, ending)));
  if (!rings) return [];

  log.info({ turn_id: id }, 'turn ended at its deadline');
  live.tellWorkers({ kind: 'cancelled', turnId: id });
  audience.news(id, rings);
  return rings;
}
