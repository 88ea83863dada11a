import { countSettledTurns } from '#core/checkpoint/bulk/settle-turn.ts';
import { stopBulkTurns } from '#core/checkpoint/bulk/stop-turns.ts';
import { type BulkBatch, takeBulkBatch } from '#core/checkpoint/bulk/take-batch.ts';
import { type BulkWorker, treatTurn } from './treat-turn.ts';

/** The turns of a batch. They are few, so that a stopping worker need not wait long. */
const AT_ONCE = 40;

/** The turns of a batch that are treated in parallel. They are few, so that other work has connections too. */
const SIDE_BY_SIDE = 4;

const LONGEST_MS = 1_000;

/**
 * Runs due bulks for about `forMs`, and one batch at least, so that other routines of the worker wait no longer. A
 * bulk that cancels first stops all its turns that have not begun (R34).
 */
export async function workBulks(context: BulkWorker, forMs = LONGEST_MS, limit = AT_ONCE): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until && (await stopBulkTurns(context.db)));
  do {
    const batch = await takeBulkBatch(context.db, limit);
    if (!batch) return;
    await workBatch(batch, context);
    await countSettledTurns(context.db, batch.bulkId);
  } while (performance.now() < until);
}

/** Treats the turns of a batch. If a connection breaks, a later batch has the remaining turns. */
async function workBatch({ turnIds, ...bulk }: BulkBatch, context: BulkWorker): Promise<void> {
  const left = turnIds.values();
  const workOff = async () => {
    for (const turnId of left) await treatTurn({ ...bulk, turnId }, context);
  };
  const ends = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, workOff));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
