import type { Made, Making } from '../../start/made.ts';
import type { TokensPerDay } from '../../start/tokens-per-day.ts';

/**
 * The work that starts a turn, refused once the project has used up its tokens of the day; turns under way go on. What an
 * Idempotency-Key has made before is answered all the same.
 */
export function withinTokensPerDay<M extends Made>(
  { tokensPerDay }: { tokensPerDay: TokensPerDay },
  project: string,
  { together, atOnce }: Making<M>,
): Making<M> {
  if (together) return { together: (trx) => tokensPerDay.check(project).then(() => together(trx)) };
  return { atOnce: (db) => tokensPerDay.check(project).then(() => atOnce(db)) };
}
