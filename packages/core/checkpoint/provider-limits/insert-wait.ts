import { type RawBuilder, sql } from 'kysely';

/** The need of a round that waits for room under the limit with this name. */
export type Waiter = { name: string; requests: number; tokens: number };

/**
 * Inserts a row for each turn that waits for a limit, in the statement that postpones the turn. So a waker finds both
 * or neither. A turn that was woken in vain keeps its position. `from` has the columns `id`, `limitName`,
 * `limitRequests` and `limitTokens`.
 */
export function insertWait(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into provider_waits (turn_id, limit_name, since, requests, tokens)
      select id, "limitName", now(), "limitRequests", "limitTokens" from ${from} where "limitName" is not null
      on conflict (turn_id) do update set limit_name = excluded.limit_name, woken_at = null, requests = excluded.requests,
        tokens = excluded.tokens`;
}
