import { RequestRefused } from '#core/failure.ts';
import type { ModelRetry } from '#core/turn/request/provider/model-retry.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import type { Parts } from '../process/parts.ts';

/** Returns the attempts and timeouts that a turn sets, without nulls. Refuses timeouts above the operator's limit. */
export function resolveModelRetry(
  { model_retry: given }: Pick<StandingConfig, 'model_retry'>,
  { providers }: Pick<Parts, 'providers'>,
): { model_retry?: ModelRetry } {
  const { max_attempts, timeout_ms, idle_timeout_ms } = given ?? {};
  const model_retry = {
    ...(max_attempts && { max_attempts }),
    ...(timeout_ms && { timeout_ms: checkTimeout('timeout_ms', timeout_ms, providers) }),
    ...(idle_timeout_ms && { idle_timeout_ms: checkTimeout('idle_timeout_ms', idle_timeout_ms, providers) }),
  };
  return Object.keys(model_retry).length > 0 ? { model_retry } : {};
}

function checkTimeout(
  field: 'timeout_ms' | 'idle_timeout_ms',
  ms: number,
  { timeoutLimitMs }: Parts['providers'],
): number {
  if (ms <= timeoutLimitMs) return ms;
  const param = `model_retry.${field}`;
  const message =
    `${param} is above the limit of ${timeoutLimitMs}. ` +
    'Set a lower time, or have the operator raise PAWL_MODEL_TIMEOUT_LIMIT_MS.';
  throw new RequestRefused(400, 'invalid_value', message, param);
}
