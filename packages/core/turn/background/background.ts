/**
 * The responses of a provider that a round waits for, in the order of their requests: nearly always one.
 * - `isBatch`: they are requests of batches, with Pawl's own ids.
 * - `inputs`: how many joined inputs of the turn they have received.
 * - `polls`: how often the round has polled the last response since it reads no stream.
 * - `ageMs`: the age of the last response.
 */
export type Background = { responses: string[]; inputs: number; polls: number; ageMs: number; isBatch: boolean };

/** A response that its provider still works on. */
export type RunningResponse = {
  isQueued: boolean;
  /** The milliseconds after which the provider wants to be asked again, or null without such a wish. */
  pollAfterMs: number | null;
};

/** Returns whether a round polls its response, since a run has left the stream. */
export function isPolling({ background }: { background: Background | null }): boolean {
  return (background?.polls ?? 0) > 0;
}
