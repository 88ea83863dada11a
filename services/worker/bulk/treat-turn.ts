import type { BulkAction } from '#core/checkpoint/bulk/bulk.ts';
import { lockBulkTurn, settleBulkTurn } from '#core/checkpoint/bulk/settle-turn.ts';
import { releaseStoppedTurn } from '#core/checkpoint/bulk/stop-turns.ts';
import type { BulkBatch } from '#core/checkpoint/bulk/take-batch.ts';
import { deleteTurn, type TurnDeletion } from '#core/checkpoint/deletion/delete-turn.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { type Publishing, publishChanges } from '../../process/publish-changes.ts';

/** The resources for treating the turns of a bulk. */
export type BulkWorker = Publishing;

type Treated = Omit<BulkBatch, 'turnIds'> & { turnId: string };

/**
 * The outcome of a turn, which is `done` or the code of a refusal, and the effects of the commit. `hasEnded`: this
 * commit has ended the turn.
 */
type Treatment = { outcome: string; wakeups?: Wakeup[]; hasEnded?: boolean };

/**
 * Treats a turn of a bulk like the single call, and records the outcome in the same transaction. So each turn is
 * treated once, even if another worker has the same batch or this worker dies (R34).
 */
export async function treatTurn(treated: Treated, context: BulkWorker): Promise<void> {
  const { bulkId, turnId, project, action } = treated;
  try {
    const treatment = await context.db.transaction().execute(async (trx) => {
      if (!(await lockBulkTurn(trx, bulkId, turnId))) return null;
      const done = await ACTIONS[action](trx, { project, turnId, needsSlot: context.admission.isNeeded() });
      await settleBulkTurn(trx, { bulkId, turnId, outcome: done.outcome });
      return done;
    });
    if (treatment?.outcome === 'done') await publish(turnId, treatment, context);
  } catch (error) {
    if (isTransient(error)) throw error;
    context.log.error(
      { event: 'bulk.turn_failed', bulk_id: bulkId, turn_id: turnId, err: error },
      'a turn of a bulk failed',
    );
    await settleBulkTurn(context.db, { bulkId, turnId, outcome: 'internal' });
    await releaseStoppedTurn(context.db, turnId);
  }
}

/** Publishes the changes after the commit. If a message is lost, the rows are still due. */
function publish(turnId: string, { wakeups = [], hasEnded }: Treatment, context: BulkWorker): Promise<void> {
  return publishChanges(context, { wakeups, ...(hasEnded ? { ended: [turnId] } : { changed: [turnId] }) });
}

type Act = { project: string; turnId: string; needsSlot: boolean };

const ACTIONS: Record<BulkAction, (trx: Trx, act: Act) => Promise<Treatment>> = {
  cancel: async (trx, { project, turnId }) => {
    const cancelled = await cancelTurn(trx, project, turnId);
    if (!cancelled) return { outcome: 'turn_not_found' };
    if (cancelled.status !== 'cancelled') return { outcome: 'turn_ended' };
    return { outcome: 'done', wakeups: cancelled.wakeups, hasEnded: cancelled.wasActive };
  },
  retry: async (trx, act) => {
    const retried = await retryTurn(trx, act);
    switch (retried.kind) {
      case 'missing':
        return { outcome: 'turn_not_found' };
      case 'not-failed':
        return { outcome: 'turn_not_failed' };
      case 'forked':
        return { outcome: 'turn_forked' };
      case 'resumed':
        return { outcome: 'done', wakeups: retried.wakeup ? [retried.wakeup] : [] };
    }
  },
  delete: async (trx, { project, turnId }) => ({ outcome: DELETED[await deleteTurn(trx, project, turnId)] }),
};

const DELETED: Record<TurnDeletion, string> = { deleted: 'done', missing: 'turn_not_found', active: 'turn_active' };
