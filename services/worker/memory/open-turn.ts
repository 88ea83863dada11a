import { nextStep } from '#core/turn/next-step.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { MemoryBusy } from './memory.ts';

/** A turn with all that a step needs of it, and a share of the worker's memory. */
export type OpenedTurn = Disposable & { turn: Turn; isShortened: boolean };

/**
 * Loads the turn of a job. A large turn is outlined first, and loaded once it has its share of the memory. Null if the turn needs no
 * step, and if other large turns fill the memory for long: the turn is due, so the rescuer enqueues it again.
 */
export async function openTurn(
  job: { turnId: string; step: string; generation?: number },
  context: WorkerContext,
): Promise<OpenedTurn | null> {
  const seen = await context.turnCache.load(job.turnId, job);
  if (!seen || isIdle(seen)) return null;
  try {
    return await takeTurn(seen, context);
  } catch (error) {
    if (!(error instanceof MemoryBusy)) throw error;
    context.log.info({ event: 'memory.busy', turn_id: seen.id, step: seen.work.step }, error.message);
    return null;
  }
}

function isIdle(turn: Turn): boolean {
  const { kind } = nextStep(turn);
  return kind === 'nothing' || kind === 'wait';
}

/** A turn that had to wait for its share is read again: its lease is judged by the time of the read. */
async function takeTurn(seen: Turn, { memory, turnCache }: WorkerContext): Promise<OpenedTurn | null> {
  const share = await memory.takeTurn(Math.min(turnCache.sizeOf(seen), memory.most));
  if (seen.outlinedBytes === undefined && !share.hasWaited) return { ...share, turn: seen, isShortened: false };
  try {
    const loaded = await turnCache.loadLarge(seen.id);
    if (loaded) return { ...share, ...loaded };
  } catch (error) {
    share[Symbol.dispose]();
    throw error;
  }
  share[Symbol.dispose]();
  return null;
}
