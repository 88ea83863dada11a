import { DELIVERIES_QUEUE, roundsQueue, TOOLS_QUEUE } from './job.ts';

/** The queues of a process that knows these providers: one for each of them, the tools, the deliveries. */
export function allQueues(providers: string[]): string[] {
  return [...providers.map(roundsQueue), TOOLS_QUEUE, DELIVERIES_QUEUE];
}
