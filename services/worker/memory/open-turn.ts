import { nextStep } from '#core/turn/next-step.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { MemoryBusy } from './memory.ts';

/** A turn that is loaded for a step, and a share of the worker's memory. */
export type OpenedTurn = Disposable & { turn: Turn; isShortened: boolean };

/**
 * Loads the turn of a job. Outlines a large turn first, and loads it once it has its share of the memory. Returns
 * null if the turn needs no step, or if other large turns fill the memory for long. In the second case the turn stays
 * due, so the rescuer enqueues it again.
 */
export async function openTurn(
  job: { turnId: string; step: string; generation?: number },
  context: WorkerContext,
): Promise<OpenedTurn | null> {
  const seen = await context.turnCache.load(job.turnId, job);
  return seen && !isIdle(seen) ? await takeIfRoom(seen, context) : null;
}

async function takeIfRoom(seen: Turn, context: WorkerContext): Promise<OpenedTurn | null> {
  try {
    return await takeTurn(seen, context);
  } catch (error) {
    if (!(error instanceof MemoryBusy)) throw error;
    context.log.info({ event: 'memory.busy', turn_id: seen.id, step: seen.work.step }, error.message);
    return null;
  }
}

/** Loads a turn that waits for its batch, as if it had a slot: the line of its request needs no slot. */
export async function openWithoutSlot(turnId: string, context: WorkerContext): Promise<OpenedTurn | null> {
  const seen = await context.turnCache.load(turnId);
  if (!seen || isIdle(withoutSlot(seen))) return null;
  const opened = await takeIfRoom(seen, context);
  return opened && { ...opened, turn: withoutSlot(opened.turn) };
}

function withoutSlot(turn: Turn): Turn {
  return { ...turn, work: { ...turn.work, slot: null } };
}

function isIdle(turn: Turn): boolean {
  const { kind } = nextStep(turn);
  return kind === 'nothing' || kind === 'wait';
}

/**
 * Loads a turn once it has its share of the memory. A turn that has waited for its share is read again, since the
 * time of the read decides whether its lease is valid.
 */
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
