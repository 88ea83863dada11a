import { retryTransient } from '#core/postgres/retry-transient.ts';
import type { WorkerContext } from './context.ts';

/**
 * Writes a checkpoint, a span of its own, and carries it through what passes by itself. `verb` is the function that writes;
 * its guard has to make writing twice the same as writing once.
 */
export function writeCheckpoint<Saved>(
  { tracer }: Pick<WorkerContext, 'tracer'>,
  { verb, turnId }: { verb: string; turnId: string | null },
  write: () => Promise<Saved>,
): Promise<Saved> {
  return tracer.span('pawl.checkpoint', { 'pawl.verb': verb, 'pawl.turn_id': turnId }, () => retryTransient(write));
}
