import type { ProviderFailed } from '../../failure.ts';
import type { Turn } from '../turn.ts';
import { isLate, MOST_REFUSALS, type TierChange } from './change-tier.ts';

/**
 * Returns why a round changes its tier after a failed result of its batch, or null if it stays. `tierWait.refusals`
 * counts the failed results of the round before this result. If a batch was refused for the longest time, the code is
 * `provider_rate_limited`, and the failure is permanent.
 */
export function changeAfterResult(
  turn: Pick<Turn, 'config' | 'work'>,
  { code, retry }: Pick<ProviderFailed, 'code' | 'retry'>,
): TierChange | null {
  if (turn.config.tier_fallback === undefined) return null;
  if (retry.kind === 'never') return code === 'provider_rate_limited' ? 'waited' : null;
  if ((turn.work.tierWait?.refusals ?? 0) + 1 >= MOST_REFUSALS) return 'refused';
  return isLate(turn) ? 'deadline' : null;
}
