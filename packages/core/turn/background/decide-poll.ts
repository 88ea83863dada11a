import type { Background, RunningResponse } from './background.ts';

/** The longest time that a response may be queued, and may take in all. */
export type BackgroundTimes = { queuedMs: number; timeoutMs: number };

/** A decision about a running response: the round polls again later, or asks the model again. */
export type BackgroundDecision = { kind: 'poll'; delayMs: number } | { kind: 'ask-again'; because: string };

const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 10_000;
const POLL_GROWTH = 1.5;

/** The limits of the interval that a provider may request. */
const LEAST_REQUESTED_MS = 100;
const LONGEST_REQUESTED_MS = 3_600_000;

/** Decides about a response that has not ended. Without a request of the provider, polls are up to 10 s apart. */
export function decidePoll(
  { polls, ageMs }: Pick<Background, 'polls' | 'ageMs'>,
  { isQueued, pollAfterMs }: RunningResponse,
  { queuedMs, timeoutMs }: BackgroundTimes,
): BackgroundDecision {
  if (ageMs >= timeoutMs) return { kind: 'ask-again', because: `no end within ${timeoutMs} ms` };
  if (isQueued && ageMs >= queuedMs) return { kind: 'ask-again', because: `queued for ${queuedMs} ms` };
  const leftMs = Math.min(timeoutMs, isQueued ? queuedMs : timeoutMs) - ageMs;
  const grownMs = Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * POLL_GROWTH ** Math.min(polls, 20));
  const wantedMs =
    pollAfterMs === null ? grownMs : Math.min(LONGEST_REQUESTED_MS, Math.max(LEAST_REQUESTED_MS, pollAfterMs));
  return { kind: 'poll', delayMs: Math.ceil(Math.min(wantedMs, leftMs)) };
}
