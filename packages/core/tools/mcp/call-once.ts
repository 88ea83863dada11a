import { AsyncLocalStorage } from 'node:async_hooks';

/** A call of a tool: whether a request for it has left this process, and how its answer gets a place if it is large. */
export type SentCall = { isSent: boolean; takePlace(): Promise<void> };

const calls = new AsyncLocalStorage<SentCall>();

/**
 * Runs one call of a tool. The ledger alone decides whether a call is made again, so its request leaves at most once,
 * whatever reason the SDK or the transport has to send it again.
 */
export function callOnce<Value>(call: SentCall, work: () => Promise<Value>): Promise<Value> {
  return calls.run(call, work);
}

/** Transports call this right before the request of a tool call leaves. Throws if that request has left before. */
export function noteSent(): void {
  const call = calls.getStore();
  if (!call) return;
  if (call.isSent) throw new Error('the request of this tool call was sent before');
  call.isSent = true;
}

/** How the answer of the call that is being sent gets a place; other answers need none. */
export function placeTaker(): () => Promise<void> {
  return calls.getStore()?.takePlace ?? noPlaceNeeded;
}

async function noPlaceNeeded(): Promise<void> {}
