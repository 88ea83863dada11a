import { AsyncLocalStorage } from 'node:async_hooks';

/** The place of an answer, as its reader needs it: taken before the reader continues in a large part, which then arrives. */
export type ReaderPlace = { take(): Promise<void>; arrived(): void };

/** A call of a tool: whether a request for it has left this process, and the place of its answer. */
export type SentCall = { isSent: boolean; place: ReaderPlace };

const calls = new AsyncLocalStorage<SentCall>();

/** Runs one call of a tool. Only the ledger repeats calls, so SDK and transport may send the request once. */
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

/** The place for the answer of the call that is being sent. */
export function placeOfCall(): ReaderPlace {
  return calls.getStore()?.place ?? NO_PLACE;
}

/** Of an answer to another request, which needs no place. */
export const NO_PLACE: ReaderPlace = { take: async () => {}, arrived: () => {} };
