import { nextStep } from '#core/turn/next-step.ts';
import type { Ring } from '#core/turn/ring.ts';
import { ringOf } from '#core/turn/ring-of.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';

/** What a turn owes after all, for a run whose own step was done, lost or taken by another. */
export async function whatIsOwed(before: Turn, { turns }: Pick<WorkerContext, 'turns'>): Promise<Ring[]> {
  const now = await turns.load(before.id);
  if (!now || nextStep(now).kind === 'nothing' || now.work.step === before.work.step) return [];
  return [ringOf(now)];
}
