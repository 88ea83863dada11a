import type { Ring } from '../turn/ring.ts';

export type JobName = 'run-round' | 'run-tool-batch' | 'deliver-webhook';

/** Ids and nothing else: a job says where to look, and gives no authority (reliability: payload). */
export type JobData = { turnId: string; step: string; ring?: number } | { deliveryId: string };

/** One ring as a queue takes it. Lower `rank` runs first; 0 is before all. */
export type Job = { queue: string; name: JobName; id: string; data: JobData; rank: number; delayMs: number };

export const TOOLS_QUEUE = 'tools';
export const DELIVERIES_QUEUE = 'deliveries';

/** Each provider has a queue of its own, so that a throttled one never blocks another. */
export function roundsQueue(provider: string): string {
  return `rounds-${provider}`;
}

/** The job for a ring. Its id is derived, so ringing twice is ringing once: `<turn>-<step>-<ring number>` (R11). */
export function jobOf(ring: Ring): Job {
  const delayMs = ring.delayMs ?? 0;
  if (ring.kind === 'delivery') {
    const { deliveryId, number } = ring;
    return {
      queue: DELIVERIES_QUEUE,
      name: 'deliver-webhook',
      id: `${deliveryId}-${number}`,
      data: { deliveryId },
      rank: 0,
      delayMs,
    };
  }
  const { turnId, step, number, provider, priority } = ring;
  const base = { id: `${turnId}-${step}-${number}`, data: { turnId, step, ring: number }, delayMs };
  if (step.startsWith('b')) return { ...base, queue: TOOLS_QUEUE, name: 'run-tool-batch', rank: 0 };
  return { ...base, queue: roundsQueue(provider), name: 'run-round', rank: rankOf(step, priority) };
}

/** A running turn goes before a new one; among new ones the higher priority does, and equal ones in their order. */
function rankOf(step: string, priority: number): number {
  return step === 'r1' ? 1_001 - priority : 0;
}
