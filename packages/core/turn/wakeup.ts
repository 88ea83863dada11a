import type { Turn } from './turn.ts';

/** What a commit made due: a step of a turn, which gets a job, or deliveries, which workers take from their rows (R16). */
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
  /** The turn is past its deadline: its provider is not asked any more. */
  overdue?: boolean;
  /** The tools of workers who can run its calls: a hint, which no row remembers. */
  toolset?: string[];
  /** The run of the same worker that the commit gave the lease to: it continues with the step, without a job. */
  nextRun?: string;
};

/** The step that a run of the same worker continues with, of the wake-ups of its commit; undefined for none. */
export function continuedStep(wakeups: Wakeup[]): ContinuedStep | undefined {
  return wakeups.find((wakeup): wakeup is ContinuedStep => wakeup.kind === 'turn' && wakeup.nextRun !== undefined);
}

type ContinuedStep = TurnWakeup & { nextRun: string };

export type DeliveriesWakeup = { kind: 'deliveries' };

export const DELIVERIES_DUE: DeliveriesWakeup = { kind: 'deliveries' };

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
