import type { ChaosHarness } from '../open-harness.ts';
import { type ScheduledFault, targetOf } from './schedule.ts';

/**
 * The outcome of a fault. `evidence` is a sentence that shows its effect, or null without an effect. `endedAt` is the
 * end of its cause. `scope` is the work that it stopped: `all`, one part by name, or `none`.
 */
export type FaultOutcome = { evidence: string | null; endedAt: number; scope: string };

/** Breaks a part or a store once, and repairs it before it resolves. */
export type Fault = (harness: ChaosHarness, scheduled: ScheduledFault) => Promise<FaultOutcome>;

/** Returns the part that a fault aims at. Of two parts it is the part that the schedule has reserved. */
export function aimedAt<Part>(parts: Part[], scheduled: Pick<ScheduledFault, 'kind' | 'aim'>): Part {
  const half = targetOf(scheduled).endsWith('2') ? 1 : 0;
  const part = parts[half % parts.length];
  if (!part) throw new Error('The run has no part for this fault.');
  return part;
}
