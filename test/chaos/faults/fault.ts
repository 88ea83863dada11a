import type { ChaosHarness } from '../open-harness.ts';
import { type ScheduledFault, targetOf } from './schedule.ts';

/**
 * The outcome of a fault. `evidence` is a sentence that shows its effect, null where it had none. `endedAt` is when its
 * cause was gone; `scope` the work it stopped: `all`, one part by name, or `none`.
 */
export type FaultOutcome = { evidence: string | null; endedAt: number; scope: string };

/** Breaks something once, and repairs it before it resolves. */
export type Fault = (harness: ChaosHarness, scheduled: ScheduledFault) => Promise<FaultOutcome>;

/** The one of several that a fault aims at; of two, the one that the schedule has reserved. */
export function aimedAt<Part>(parts: Part[], scheduled: Pick<ScheduledFault, 'kind' | 'aim'>): Part {
  const half = targetOf(scheduled).endsWith('2') ? 1 : 0;
  const part = parts[half % parts.length];
  if (!part) throw new Error('There is nothing to aim at.');
  return part;
}
