import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import type { Db, Trx } from '../tables.ts';

const MAX_ROWS = 10_000;

const QUARTER = sql`interval '15 minutes'`;
const DAY = sql`interval '1 day'`;

/**
 * Replaces usage records that are older than some minutes by sums of quarters of an hour. A reader counts each record
 * once, before and after (R33). Any number of workers may do so at once. Returns whether more records are left.
 */
export function rollUpUsage(db: Db, limit = MAX_ROWS): Promise<boolean> {
  const sums = sql`${sumsOf(QUARTER)}, ${agentSumsOf(QUARTER, sql`agent is not null`)}`;
  return sumUp(db, { table: 'usage_records', old: sql`at < ${inMs(-timing.keepRecordsMs)}`, sums, limit });
}

/**
 * Replaces sums of quarters that are older than a month by sums of their UTC days, in the same way. Each call takes the
 * oldest day, in one process at a time, with the sums of agents in the same transaction: a reader subtracts these.
 */
export function rollUpQuarters(db: Db): Promise<boolean> {
  const old = sql`at < date_bin(${DAY}, ${inMs(-timing.keepQuartersMs)}, 'epoch') and at <> date_bin('1 day', at, 'epoch')`;
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ day: string | null }>`
      select date_bin(${DAY}, least((select min(at) from usage_sums where ${old}), (
          select min(at) from agent_usage_sums where ${old})), 'epoch')::text as day
      where pg_try_advisory_xact_lock(hashtext('pawl.roll_up_quarters'))`.execute(trx);
    const day = rows[0]?.day;
    if (!day) return false;
    const ofDay = sql`at > ${day}::timestamptz and at < ${day}::timestamptz + ${DAY}`;
    await sumUpIn(trx, { table: 'usage_sums', old: ofDay, sums: sumsOf(DAY) });
    await sumUpIn(trx, { table: 'agent_usage_sums', old: ofDay, sums: agentSumsOf(DAY, sql`true`) });
    return true;
  });
}

type SummedUp = {
  table: 'usage_records' | 'usage_sums' | 'agent_usage_sums';
  /** The rows to sum up, at most `limit`, and the CTEs that add the rows of `taken` to sums. */
  old: RawBuilder<unknown>;
  sums: RawBuilder<unknown>;
  limit?: number;
};

/** Sums up in a separate transaction, since other writes would wait for its commit. */
async function sumUp(db: Db, summed: SummedUp & { limit: number }): Promise<boolean> {
  return (await db.transaction().execute((trx) => sumUpIn(trx, summed))) === summed.limit;
}

/** Returns the number of rows that were summed up. */
async function sumUpIn(trx: Trx, { table, old, sums, limit }: SummedUp): Promise<number> {
  const from = sql.table(table);
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from ${from} where ctid = any(array(
        select ctid from ${from} where ${old} ${limit === undefined ? sql`` : sql`limit ${limit}`} for update skip locked))
      returning *
    ),
    ${sums}
    select count(*)::int as taken from taken`.execute(trx);
  return rows[0]?.taken ?? 0;
}

const FIGURES = [
  ...['turns', 'rounds', 'tool_calls', 'input_tokens', 'output_tokens', 'total_tokens', 'cached_input_tokens'],
  ...['cache_write_tokens', 'reasoning_tokens', 'cost_usd', 'unpriced'],
];

const figures = sql.join(FIGURES.map((name) => sql.ref(name)));
const summedFigures = sql.join(FIGURES.map((name) => sql`sum(${sql.ref(name)})`));
const added = (table: string) =>
  sql.join(FIGURES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + excluded.${sql.ref(name)}`));

/** Adds the taken rows to the sums of their slots. */
function sumsOf(slot: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`summed as (
      insert into usage_sums (at, project, model, key_id, ${figures})
      select date_bin(${slot}, at, 'epoch') as slot, project, model, coalesce(key_id, ''), ${summedFigures}
      from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (project, at, model, key_id) do update set ${added('usage_sums')}
    )`;
}

/** Adds the taken rows that fit to the sums of their slots and agents, too. */
function agentSumsOf(slot: RawBuilder<unknown>, fits: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`summed_by_agent as (
      insert into agent_usage_sums (at, project, model, key_id, agent, ${figures})
      select date_bin(${slot}, at, 'epoch') as slot, project, model, coalesce(key_id, ''), agent, ${summedFigures}
      from taken where ${fits} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (project, at, model, key_id, agent) do update set ${added('agent_usage_sums')}
    )`;
}
