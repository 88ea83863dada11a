import { DELIVERIES_QUEUE, turnsQueue } from './job.ts';

/** The queues of a process that knows these providers: one for each of them, and the deliveries. */
export function allQueues(providers: string[]): string[] {
  return [...providers.map(turnsQueue), DELIVERIES_QUEUE];
}
