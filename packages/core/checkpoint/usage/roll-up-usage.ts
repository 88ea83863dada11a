import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

const MAX_ROWS = 10_000;

const QUARTER = sql`interval '15 minutes'`;
const DAY = sql`interval '1 day'`;

/**
 * Replaces usage records that are older than some minutes by sums of quarters of an hour. A reader counts each record
 * once, before and after (R33). Any number of workers may do so at once. Returns whether more records are left.
 */
export function rollUpUsage(db: Db, limit = MAX_ROWS): Promise<boolean> {
  return sumUp(db, { table: 'usage_records', old: sql`at < ${inMs(-timing.keepRecordsMs)}`, slot: QUARTER, limit });
}

/** Replaces sums of quarters that are older than a month by sums of their UTC days, in the same way. */
export function rollUpQuarters(db: Db, limit = MAX_ROWS): Promise<boolean> {
  const old = sql`at < date_bin(${DAY}, ${inMs(-timing.keepQuartersMs)}, 'epoch') and at <> date_bin('1 day', at, 'epoch')`;
  return sumUp(db, { table: 'usage_sums', old, slot: DAY, limit });
}

type SummedUp = {
  table: 'usage_records' | 'usage_sums';
  /** The rows to sum up, and the period of a sum. */
  old: RawBuilder<unknown>;
  slot: RawBuilder<unknown>;
  limit: number;
};

async function sumUp(db: Db, { table, old, slot, limit }: SummedUp): Promise<boolean> {
  const from = sql.table(table);
  const rollUp = sql<{ taken: number }>`
    with taken as (
      delete from ${from} where ctid = any(array(select ctid from ${from} where ${old} limit ${limit} for update skip locked))
      returning *
    ),
    summed as (
      insert into usage_sums (at, project, model, key_id, turns, rounds, tool_calls, input_tokens, output_tokens, total_tokens,
        cached_input_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced)
      select date_bin(${slot}, at, 'epoch') as slot, project, model, coalesce(key_id, ''), sum(turns), sum(rounds),
        sum(tool_calls), sum(input_tokens), sum(output_tokens), sum(total_tokens), sum(cached_input_tokens),
        sum(cache_write_tokens), sum(reasoning_tokens), sum(cost_usd), sum(unpriced)
      from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (project, at, model, key_id) do update set
        turns = usage_sums.turns + excluded.turns,
        rounds = usage_sums.rounds + excluded.rounds,
        tool_calls = usage_sums.tool_calls + excluded.tool_calls,
        input_tokens = usage_sums.input_tokens + excluded.input_tokens,
        output_tokens = usage_sums.output_tokens + excluded.output_tokens,
        total_tokens = usage_sums.total_tokens + excluded.total_tokens,
        cached_input_tokens = usage_sums.cached_input_tokens + excluded.cached_input_tokens,
        cache_write_tokens = usage_sums.cache_write_tokens + excluded.cache_write_tokens,
        reasoning_tokens = usage_sums.reasoning_tokens + excluded.reasoning_tokens,
        cost_usd = usage_sums.cost_usd + excluded.cost_usd,
        unpriced = usage_sums.unpriced + excluded.unpriced
    )
    select count(*)::int as taken from taken`;
  // In a separate transaction, since other writes would wait for its commit.
  const { rows } = await db.transaction().execute((trx) => rollUp.execute(trx));
  return rows[0]?.taken === limit;
}
