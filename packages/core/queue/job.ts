import type { Ring, TurnRing } from '../turn/ring.ts';

export type JobName = 'run-round' | 'run-tool-batch' | 'deliver-webhook';

/** Ids and nothing else: a job says where to look, and gives no authority (reliability: payload). */
export type JobData = { turnId: string; step: string; ring?: number } | { deliveryId: string };

/** One ring as a queue takes it. Lower `rank` runs first; 0 is before all. */
export type Job = { queue: string; name: JobName; id: string; data: JobData; rank: number; delayMs: number };

export const DELIVERIES_QUEUE = 'deliveries';

/** What asks no provider, and so waits behind the rounds of none: turns past their deadline, batches that are rung anew. */
export const ANYTIME_QUEUE = 'anytime';

/** What the turns of a provider owe. Each provider has one of its own, so that a throttled one never blocks another. */
export function turnsQueue(provider: string): string {
  return `turns-${provider}`;
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
  const { turnId, step, number, priority } = ring;
  const data = { turnId, step, ring: number };
  const name = step.startsWith('b') ? 'run-tool-batch' : 'run-round';
  const job = { id: `${turnId}-${step}-${number}`, data, delayMs };
  return { ...job, queue: queueOf(ring), name, rank: rankOf(step, priority) };
}

/** A batch that its round has just asked for is found where that round has ended. */
function queueOf({ step, number, provider, overdue }: TurnRing): string {
  const isBatchAgain = step.startsWith('b') && number > 0;
  return overdue || isBatchAgain ? ANYTIME_QUEUE : turnsQueue(provider);
}

/** A running turn goes before a new one; among new ones the higher priority does, and equal ones in their order. */
function rankOf(step: string, priority: number): number {
  return step === 'r1' ? 1_001 - priority : 0;
}
