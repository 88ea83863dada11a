import { createHash } from 'node:crypto';
import { ADOPTED_STEP, FIRST_STEP, readStep } from '../turn/step.ts';
import type { TurnWakeup } from '../turn/wakeup.ts';

export type JobName = 'run-round' | 'run-tool-batch';

/** The ids of a step. A job has no other data: it says which turn to look at, and gives no authority. */
export type JobData = { turnId: string; step: string; generation?: number };

/** A wakeup in the form of a queue. A lower `rank` runs first, and 0 runs before all. */
export type Job = { queue: string; name: JobName; id: string; data: JobData; rank: number; delayMs: number };

/**
 * The queue of jobs that call no provider, and so do not wait for rounds: turns after their deadline, and batches
 * that are enqueued again.
 */
const ANYTIME_QUEUE = 'anytime';

/** Returns the queue of workers that have loaded the same tools. Each of these workers can work its jobs. */
export function toolsQueue(toolset: string[]): string {
  return `tools-${createHash('sha256').update(toolset.toSorted().join()).digest('hex').slice(0, 16)}`;
}

/**
 * Returns the queue of a provider's turns. Each provider has its own queue, so a throttled provider never blocks
 * another.
 */
export function turnsQueue(provider: string): string {
  return `turns-${provider}`;
}

/**
 * Returns the job for a wakeup. Its id is derived, `<turn>-<step>-<generation>`, so a second enqueue has no effect
 * (R11).
 */
export function jobOf(wakeup: TurnWakeup): Job {
  const { turnId, step, generation, priority, delayMs = 0 } = wakeup;
  const data = { turnId, step, generation };
  const name = readStep(step).kind === 'batch' ? 'run-tool-batch' : 'run-round';
  const job = { id: `${turnId}-${step}-${generation}`, data, delayMs };
  return { ...job, queue: queueOf(wakeup), name, rank: rankOf(step, priority) };
}

/**
 * Returns the queue of a wakeup. A batch that its round has just requested is in the queue of that round. A batch
 * that needs certain tools is in the queue of the workers that have loaded them.
 */
function queueOf({ step, generation, provider, overdue, toolset }: TurnWakeup): string {
  if (toolset) return toolsQueue(toolset);
  const isBatchAgain = readStep(step).kind === 'batch' && generation > 0;
  return overdue || isBatchAgain ? ANYTIME_QUEUE : turnsQueue(provider);
}

/**
 * Returns the rank of a job. Running turns are before new turns. New turns are ordered by priority, then by arrival.
 */
function rankOf(step: string, priority: number): number {
  return step === FIRST_STEP || step === ADOPTED_STEP ? 1_001 - priority : 0;
}

/** Returns the provider of a queue, or null for a queue of all providers. */
export function providerOf(queue: string, providers: string[]): string | null {
  return providers.find((provider) => turnsQueue(provider) === queue) ?? null;
}

/** Returns the queues of a process: for each provider, for steps without a provider, and for its set of tools. */
export function allQueues(providers: string[], toolset: string[] = []): string[] {
  const ofTools = toolset.length > 0 ? [toolsQueue(toolset)] : [];
  return [...providers.map(turnsQueue), ANYTIME_QUEUE, ...ofTools];
}
