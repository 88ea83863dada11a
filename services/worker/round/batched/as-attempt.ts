import { ProviderFailed } from '#core/failure.ts';
import type { Run } from '../../lease/run.ts';

/** Returns whether a failure of a run is the result of its request in a batch. */
export function isResult({ responses }: Pick<Run, 'responses'>): boolean {
  return responses?.awaited()?.isBatch ?? false;
}

/** Returns a failed result as an attempt, also after a rate limit: only this request has met the limit. */
export function asAttempt(result: ProviderFailed): ProviderFailed {
  const { code, message, retry, provider } = result;
  if (retry.kind !== 'rate-limited') return result;
  return new ProviderFailed(code, message, { retry: { kind: 'later' }, provider });
}
