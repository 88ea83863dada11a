import { retryTransient } from '#core/postgres/retry-transient.ts';
import type { WorkerContext } from './context.ts';

/**
 * Writes a checkpoint, and carries it through what passes by itself. `verb` is the function that writes; its guard has to make
 * writing twice the same as writing once.
 */
export function writeCheckpoint<Saved>(
  { log }: Pick<WorkerContext, 'log'>,
  { verb, turnId }: { verb: string; turnId: string | null },
  write: () => Promise<Saved>,
): Promise<Saved> {
  let tries = 0;
  return retryTransient(() => {
    tries += 1;
    if (tries > 1)
      log.debug({ verb, turn_id: turnId, tries }, `${verb} broke off at the database and is written again`);
    return write();
  });
}
