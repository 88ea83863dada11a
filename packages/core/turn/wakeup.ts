import type { Turn } from './turn.ts';

/**
 * The work that a commit made due: a step of a turn, which gets a job, or deliveries, which workers take from rows
 * (R16).
 */
export type Wakeup = TurnWakeup | DeliveriesWakeup;

/** A request to look at a turn. The same step needs a higher generation to be enqueued again (R11). */
export type TurnWakeup = {
  kind: 'turn';
  turnId: string;
  step: string;
  generation: number;
  provider: string;
  priority: number;
  delayMs?: number;
  /** The turn is past its deadline, so its provider is not asked any more. */
  overdue?: boolean;
  /** The loaded tools of the workers that can run the calls: a hint that no row stores. */
  toolset?: string[];
  /** The run of the same worker that got the lease in the commit. It continues with the step, without a job. */
  nextRun?: string;
};

/** Returns the wakeup of the step that a run of the same worker continues, or undefined if there is none. */
export function continuedStep(wakeups: Wakeup[]): ContinuedStep | undefined {
  return wakeups.find((wakeup): wakeup is ContinuedStep => wakeup.kind === 'turn' && wakeup.nextRun !== undefined);
}

type ContinuedStep = TurnWakeup & { nextRun: string };

export type DeliveriesWakeup = { kind: 'deliveries' };

export const DELIVERIES_DUE: DeliveriesWakeup = { kind: 'deliveries' };

/**
 * The priority of turns with a slot. Their own priority decided when they got the slot. Then they run in that order.
 */
export const ADMITTED_PRIORITY = 1_001;

/** Returns the wakeup for the due step of a turn, equal to the wakeup of its last commit (R11). */
export function wakeupOf({ id, priority, work }: Turn): TurnWakeup {
  const provider = work.model.slice(0, work.model.indexOf('/'));
  return {
    kind: 'turn',
    turnId: id,
    step: work.step,
    generation: work.generation,
    provider,
    priority: work.slot === 'held' ? ADMITTED_PRIORITY : priority,
  };
}
