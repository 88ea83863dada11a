import { refusalOf } from '#core/postgres/refusal.ts';
import { retryTransient } from '#core/postgres/retry-transient.ts';
import type { WorkerContext } from './context.ts';

/** How often the values of a write may be refused before it counts as one that never succeeds: a race is over by then. */
const REFUSED_TIMES = 3;

/**
 * Writes a checkpoint, and carries it through a fault that passes. `verb` is the function that writes; its guard has to make
 * writing twice the same as writing once. A write that PostgreSQL refuses whatever its values are is held until it is taken.
 * One that it refuses because of its values throws, so that the turn ends, or is held if it is the end of the turn.
 */
export async function writeCheckpoint<Saved>(
  { log, heldWrites }: Pick<WorkerContext, 'log' | 'heldWrites'>,
  { verb, turnId }: { verb: string; turnId: string | null },
  write: () => Promise<Saved>,
): Promise<Saved> {
  let tries = 0;
  const writeOnce = () => {
    tries += 1;
    if (tries > 1)
      log.debug({ verb, turn_id: turnId, tries }, `${verb} broke off at the database and is written again`);
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

/** No other write can take their place. */
const LAST_WRITES = new Set(['endTurn', 'saveDelivery']);
