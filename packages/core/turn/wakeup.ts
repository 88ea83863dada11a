import type { Turn } from './turn.ts';

/**
 * A request to look at a turn, or at a delivery, that a commit made due. A job id is used once for each (step, generation):
 * enqueuing the same step again needs a higher generation (R11).
 */
export type Wakeup = TurnWakeup | DeliveryWakeup;

export type TurnWakeup = {
  kind: 'turn';
  turnId: string;
  step: string;
  generation: number;
  provider: string;
  priority: number;
  delayMs?: number;
  /** The turn is past its deadline: its provider is not asked any more. */
  overdue?: boolean;
  /** The tools of workers who can run its calls: a hint, which no row remembers. */
  toolset?: string[];
};

export type DeliveryWakeup = { kind: 'delivery'; deliveryId: string; generation: number; delayMs?: number };

/** The priority of turns that have a place: it says when they got it, and then they go in their order. */
export const ADMITTED_PRIORITY = 1_001;

/** The wake-up for the step of a turn that is due; the same one that its last commit enqueued (R11). */
export function wakeupOf({ id, priority, work }: Turn): TurnWakeup {
  const provider = work.model.slice(0, work.model.indexOf('/'));
  return {
    kind: 'turn',
    turnId: id,
    step: work.step,
    generation: work.generation,
    provider,
    priority: work.place === 'held' ? ADMITTED_PRIORITY : priority,
  };
}
