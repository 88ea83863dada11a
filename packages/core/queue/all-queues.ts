import { ANYTIME_QUEUE, DELIVERIES_QUEUE, turnsQueue } from './job.ts';

/** The queues of a process that knows these providers: one for each of them, one for what waits for none, the deliveries. */
export function allQueues(providers: string[]): string[] {
  return [...providers.map(turnsQueue), ANYTIME_QUEUE, DELIVERIES_QUEUE];
}
