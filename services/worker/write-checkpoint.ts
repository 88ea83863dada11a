import { refusalOf } from '#core/postgres/refusal.ts';
import { retryTransient } from '#core/postgres/retry-transient.ts';
import type { WorkerContext } from './context.ts';

/** The number of refusals of a write's values before it counts as permanent. A race is over after fewer attempts. */
const REFUSED_TIMES = 3;

/**
 * Writes a checkpoint, and repeats it through temporary faults. `verb` is the function that writes. Its guard has to
 * make a repeated write harmless.
 * - If PostgreSQL refuses a write for any values, the write is held until PostgreSQL accepts it.
 * - If PostgreSQL refuses a write because of its values, the write throws, so that the turn ends. The end of the turn
 *   is held instead.
 */
export async function writeCheckpoint<Saved>(
  { log, heldWrites }: Pick<WorkerContext, 'log' | 'heldWrites'>,
  { verb, turnId }: { verb: string; turnId: string | null },
  write: () => Promise<Saved>,
): Promise<Saved> {
  let tries = 0;
  const writeOnce = () => {
    tries += 1;
    if (tries > 1) log.debug({ verb, turn_id: turnId, tries }, `${verb} failed at the database and is repeated`);
    return write();
  };
  for (let times = 1; ; times += 1) {
    try {
      const saved = await retryTransient(writeOnce);
      if (times > 1) heldWrites.taken();
      return saved;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      if (refusal.kind === 'data' && times >= REFUSED_TIMES && !LAST_WRITES.has(verb)) throw error;
      await heldWrites.wait({ verb, turnId, error, refusal, times });
    }
  }
}

/** The verbs that are held in any case, since no other write can replace them. */
const LAST_WRITES = new Set(['endTurn', 'saveDelivery']);
