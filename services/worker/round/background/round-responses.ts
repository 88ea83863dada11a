import type { KeptResponses, RoundRequest } from '#core/llm/provider.ts';
import type { Background } from '#core/turn/background/background.ts';

/** The responses that a run follows or creates for its round, or the answers of its requests in batches. */
export type RoundResponses = {
  /** The responses that the server keeps. Null for a round by batch. */
  kept: KeptResponses | null;
  /** The responses that the round waits for, with their age as of now. Null before the first. */
  awaited(): Background | null;
  /** Returns the responses for one reply of this run, which follows those that the round waits for. */
  forReply(signal: AbortSignal): ReplyResponses;
  /** Forgets the responses, so that the next reply of this run asks again. Its first commit replaces them. */
  forget(): void;
};

/**
 * The responses for one reply, as a part of its request. `signal` ends the reply with a delay while a new response has
 * no id yet, since without its id nothing could cancel it.
 */
export type ReplyResponses = Disposable & {
  asked: Pick<RoundRequest, 'background' | 'exchange'>;
  signal: AbortSignal;
};
