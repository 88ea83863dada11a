import { endTurn } from '#core/checkpoint/end-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { TurnError } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../run.ts';
import { whatIsOwed } from './what-is-owed.ts';

/** Ends a turn as failed; only a run that nobody has overtaken may say so (R5). */
export async function failTurn(
  { id, turn, step, requests }: Run,
  error: TurnError,
  context: WorkerContext,
): Promise<Ring[]> {
  const ending = {
    turnId: turn.id,
    conversationId: turn.conversationId,
    status: 'failed' as const,
    error,
    run: { id, ring: turn.work.ring },
    failedRequests: requests,
    step,
  };
  const rings = await persist(() => context.db.transaction().execute((trx) => endTurn(trx, ending)));
  if (!rings) return whatIsOwed(turn, context);

  context.log.warn({ turn_id: turn.id, step, code: error.code }, `turn failed: ${error.code}`);
  context.audience.news(turn.id, rings);
  return rings;
}
