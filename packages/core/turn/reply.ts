import type { AskedCall } from './message.ts';
import type { Usage } from './usage.ts';

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'other';

/** What a model answered in one round, in our words; `opaque` goes back verbatim to the same provider. */
export type Reply = {
  text: string | null;
  /** `id` is empty where the provider gave none; ids are settled before the round is saved. */
  calls: AskedCall[];
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  opaque: unknown;
  /** Requests it took, where it took more than one (emulated tool calls); `usage` is their sum. */
  requests?: number;
  /** What the caller should know, in the contract's words. */
  warnings?: string[];
};
