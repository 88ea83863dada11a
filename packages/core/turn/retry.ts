import { exponentialBackoffMs, jitterMs } from '../backoff.ts';
import type { ProviderFailed, Retry } from '../failure.ts';
import type { TurnConfig } from './request/turn.ts';
import { LONGEST_PAUSE_MS, MAX_MODEL_ATTEMPTS, MAX_RATE_LIMIT_WAIT_MS } from './timing.ts';
import type { Turn } from './turn.ts';

const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
const FULL_JITTER = [0, 1] as const;

/** The reaction to a failed model call: the turn fails, or another attempt follows after `delayMs`. */
type RetryDecision = { kind: 'fail' } | { kind: 'again'; delayMs: number; counts: boolean };

/**
 * Decides about another attempt with exponential backoff and full jitter, never earlier than the provider requested.
 * Waiting for a rate limit uses no attempt, but ten minutes at most. `pauseMs` is its delay, `countedMs` the part
 * that counts.
 */
export function decideRetry(
  retry: Retry,
  spent: { attempts: number; waitedMs: number },
  {
    pauseMs = 0,
    countedMs = pauseMs,
    maxAttempts = MAX_MODEL_ATTEMPTS,
    random = Math.random,
  }: { pauseMs?: number; countedMs?: number; maxAttempts?: number; random?: () => number } = {},
): RetryDecision {
  switch (retry.kind) {
    case 'never':
      return { kind: 'fail' };
    case 'rate-limited':
      return countedMs > 0 && spent.waitedMs + countedMs > MAX_RATE_LIMIT_WAIT_MS
        ? { kind: 'fail' }
        : { kind: 'again', delayMs: pauseMs, counts: false };
    case 'later': {
      if (spent.attempts + 1 >= Math.min(retry.most ?? maxAttempts, maxAttempts)) return { kind: 'fail' };
      const backoffMs = jitterMs(exponentialBackoffMs(spent.attempts + 1, BACKOFF), FULL_JITTER, random);
      return { kind: 'again', delayMs: Math.round(Math.max(backoffMs, requestedPauseMs(retry) ?? 0)), counts: true };
    }
  }
}

/** Returns the attempts that a turn has for each request to a model. */
export function maxAttemptsOf({ model_retry }: Pick<TurnConfig, 'model_retry'>): number {
  return model_retry?.max_attempts ?? MAX_MODEL_ATTEMPTS;
}

/** Returns the pause that a provider requested, a minute at most, or undefined without a request. */
export function requestedPauseMs(retry: Retry): number | undefined {
  if (retry.kind === 'never' || retry.afterMs === undefined) return undefined;
  return Math.min(retry.afterMs, LONGEST_PAUSE_MS);
}

/** Failures that a model repeats and another model may not: permanent refusals and overload. */
const AT_ONCE = [
  'provider_authentication_failed',
  'provider_permission_denied',
  'provider_model_not_found',
  'model_unsupported_feature',
  'quota_exceeded',
  'provider_overloaded',
];

/** Failures for which no other model is asked. A broken tool choice counts too. */
const NEVER = ['context_length_exceeded', 'provider_invalid_request', 'tool_choice_violated', 'internal'];

/** The failure of a model. `isOver`: no attempt is left. `waitMs`: how long the model is not asked. */
type Unanswered = { failure: ProviderFailed; isOver: boolean; waitMs: number };

/** Returns the fallback model to ask next, or null to stay. A wait beyond `fallbackAfterMs` changes at once. */
export function fallbackFor(
  turn: Pick<Turn, 'config' | 'work'>,
  unanswered: Unanswered,
  fallbackAfterMs: number,
): string | null {
  const isDue = !NEVER.includes(unanswered.failure.code) && isSpent(unanswered, fallbackAfterMs);
  return isDue ? nextModel(turn) : null;
}

/**
 * Returns whether a model is unlikely to answer soon: it has no attempts left, would refuse again, or is away for
 * long.
 */
export function isSpent({ failure, isOver, waitMs }: Unanswered, fallbackAfterMs: number): boolean {
  const askedMs = failure.retry.kind === 'never' ? 0 : (failure.retry.afterMs ?? 0);
  return isOver || AT_ONCE.includes(failure.code) || Math.max(askedMs, waitMs) > fallbackAfterMs;
}

/** Returns the model after the current model of a turn, or null after the last model. */
export function nextModel({ config, work }: Pick<Turn, 'config' | 'work'>): string | null {
  const models = modelsOf(config);
  return models[models.indexOf(work.model) + 1] ?? null;
}

function modelsOf({ model, fallback_models = [] }: Pick<Turn['config'], 'model' | 'fallback_models'>): string[] {
  return [...new Set([model, ...fallback_models])];
}
