import { AsyncLocalStorage } from 'node:async_hooks';

/** The slot of an answer. The reader takes the slot before it continues with a large part, which then arrives. */
export type ReaderSlot = { take(): Promise<void>; arrived(): void };

/** A call of a tool: whether its request has left this process, and the slot of its answer. */
export type SentCall = { isSent: boolean; slot: ReaderSlot };

const calls = new AsyncLocalStorage<SentCall>();

/** Runs one call of a tool. Only the ledger repeats calls, so SDK and transport may send the request once. */
export function callOnce<Value>(call: SentCall, work: () => Promise<Value>): Promise<Value> {
  return calls.run(call, work);
}

/** Notes that the request of a tool call leaves. Transports call it right before. Throws if the request left before. */
export function noteSent(): void {
  const call = calls.getStore();
  if (!call) return;
  if (call.isSent) throw new Error('the request of this tool call was sent before');
  call.isSent = true;
}

/** Returns the slot for the answer of the current call. */
export function slotOfCall(): ReaderSlot {
  return calls.getStore()?.slot ?? NO_SLOT;
}

/** The slot of answers to other requests, which need no slot. */
export const NO_SLOT: ReaderSlot = { take: async () => {}, arrived: () => {} };
