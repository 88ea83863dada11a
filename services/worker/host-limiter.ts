import { makeSlotLimiter, type SlotLimiter } from './slot-limiter.ts';

/** Shares out the slots of a worker among the receivers of webhooks, by their URLs. */
export type HostLimiter = SlotLimiter;

/** Gives one receiver half of the slots at most. A receiver is a host with its port. */
export function makeHostLimiter(concurrency: number, timeoutMs?: number): HostLimiter {
  const { acquire } = makeSlotLimiter(Math.max(1, Math.floor(concurrency / 2)), timeoutMs);
  return { acquire: (url) => acquire(new URL(url).host) };
}
