import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/**
 * The tokens that a project has used on the UTC day of the database. The tokens before `settledUntil` are final: no
 * commit is expected to add to them. `secondsLeft` is the rest of the day.
 */
export type TokensOfDay = {
  day: string;
  tokens: number;
  settledTokens: number;
  settledUntil: string;
  secondsLeft: number;
};

/**
 * Sums a project's tokens of today. If `known` is of today and no later record can be rolled up yet, sums only tokens
 * since then.
 */
export async function sumTokensOfDay(
  db: Db,
  project: string,
  known: Pick<TokensOfDay, 'day' | 'settledTokens' | 'settledUntil'> | null,
): Promise<TokensOfDay> {
  const query = sql<TokensOfDay>`
    with today as (
      select began, to_char(began at time zone 'UTC', 'YYYY-MM-DD') as day, greatest(began, now() - interval '1 minute') as settled
      from (select date_trunc('day', now(), 'UTC') as began) as clock
    ),
    since as (
      select case when is_fresh then ${known?.settledUntil ?? null}::timestamptz else began end as since,
        case when is_fresh then ${known?.settledTokens ?? 0}::double precision else 0 end as before
      from (
        select began, day = ${known?.day ?? ''}
          and coalesce(${known?.settledUntil ?? null}::timestamptz > ${inMs(-timing.keepRecordsMs)}, false) as is_fresh from today
      ) as today
    ),
    used as (
      select at, total_tokens from usage_records, since where project = ${project} and at >= since
      union all
      select at, total_tokens from usage_sums, since where project = ${project} and at >= since
    )
    select day, before + coalesce(sum(total_tokens), 0)::double precision as tokens,
      before + coalesce(sum(total_tokens) filter (where at < settled), 0)::double precision as "settledTokens",
      settled::text as "settledUntil",
      ceil(extract(epoch from began + interval '1 day' - now()))::int as "secondsLeft"
    from today cross join since left join used on true group by day, began, settled, before`;
  const [today] = await read(db, query);
  if (!today) throw new Error('The database did not return its date.');
  return today;
}
