import { createHash } from 'node:crypto';
import { ADOPTED_STEP, FIRST_STEP, readStep } from '../turn/step.ts';
import type { TurnWakeup } from '../turn/wakeup.ts';

export type JobName = 'run-round' | 'run-tool-batch';

/** Ids and nothing else: a job says where to look, and gives no authority (reliability: payload). */
export type JobData = { turnId: string; step: string; generation?: number };

/** One wakeup as a queue takes it. Lower `rank` runs first; 0 is before all. */
export type Job = { queue: string; name: JobName; id: string; data: JobData; rank: number; delayMs: number };

/** Jobs that call no provider, and so wait behind no rounds: turns past their deadline, batches that are enqueued again. */
const ANYTIME_QUEUE = 'anytime';

/** The queue of those workers who have loaded the same tools: what is left to them can be worked by each of them. */
export function toolsQueue(toolset: string[]): string {
  return `tools-${createHash('sha256').update(toolset.toSorted().join()).digest('hex').slice(0, 16)}`;
}

/** The queue of a provider's turns. Each provider has its own, so that a throttled one never blocks another. */
export function turnsQueue(provider: string): string {
  return `turns-${provider}`;
}

/** The job for a wakeup. Its id is derived, so enqueuing twice is enqueuing once: `<turn>-<step>-<generation>` (R11). */
export function jobOf(wakeup: TurnWakeup): Job {
  const { turnId, step, generation, priority, delayMs = 0 } = wakeup;
  const data = { turnId, step, generation };
  const name = readStep(step).kind === 'batch' ? 'run-tool-batch' : 'run-round';
  const job = { id: `${turnId}-${step}-${generation}`, data, delayMs };
  return { ...job, queue: queueOf(wakeup), name, rank: rankOf(step, priority) };
}

/** A batch that its round has just requested goes to the queue of that round, one that needs certain tools to who has them. */
function queueOf({ step, generation, provider, overdue, toolset }: TurnWakeup): string {
  if (toolset) return toolsQueue(toolset);
  const isBatchAgain = readStep(step).kind === 'batch' && generation > 0;
  return overdue || isBatchAgain ? ANYTIME_QUEUE : turnsQueue(provider);
}

/** A running turn goes before a new one; among new ones the higher priority does, and equal ones in their order. */
function rankOf(step: string, priority: number): number {
  return step === FIRST_STEP || step === ADOPTED_STEP ? 1_001 - priority : 0;
}

/** The provider whose turns a queue holds; null for one that holds those of all. */
export function providerOf(queue: string, providers: string[]): string | null {
  return providers.find((provider) => turnsQueue(provider) === queue) ?? null;
}

/** The queues of a process: one for each provider, one for steps without one, and one for its set of tools. */
export function allQueues(providers: string[], toolset: string[] = []): string[] {
  const ofTools = toolset.length > 0 ? [toolsQueue(toolset)] : [];
  return [...providers.map(turnsQueue), ANYTIME_QUEUE, ...ofTools];
}
