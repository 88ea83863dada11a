import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../id.ts';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Db, Trx } from '../tables.ts';
import { activeTurns } from './active-turns.ts';
import {
  conversationCreated,
  entryOfConversation,
  entryOfTurn,
  isUnentered,
  type Progress,
  readProgress,
  turnEnded,
} from './search-query.ts';
import { MOST_SKEW_MS } from './turn-filter.ts';

const BATCH_SIZE = 400;

/**
 * Enters turns and conversations into the search: turns that ended since the last call, new conversations, and
 * long-active turns. Enters one batch in one transaction, in one process at a time. Returns whether more rows are
 * left.
 */
export async function enterBatch(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const to = await takeUntil(trx);
    if (!to) return false;
    const progress = await readProgress(trx);
    // Without this lock, rows deleted while they are read here would stay in the index. `delete_entries` waits for
    // it.
    await sql`select pg_advisory_xact_lock(hashtext('pawl.search_entries'))`.execute(trx);
    const turns = await enterThose(trx, { ...ofTurns, from: progress.turns, to });
    const conversations = await enterThose(trx, { ...ofConversations, from: progress.conversations, to });
    const active = await enterActive(trx, progress);
    return turns || conversations || active;
  });
}

/** Enters a turn again, in the transaction that has changed its searchable fields. */
export async function enterTurn(trx: Trx, id: string): Promise<void> {
  await enter(sql`turns where turns.id = ${id} and ${ofTurns.isFound}`, ofTurns).execute(trx);
}

/** Enters a conversation again, in the same way. */
export async function enterConversation(trx: Trx, id: string): Promise<void> {
  await enter(
    sql`conversations where conversations.id = ${id} and ${ofConversations.isFound}`,
    ofConversations,
  ).execute(trx);
}

/**
 * Returns the time up to which rows can be entered, or null while another process enters. A row is as old as the
 * beginning of its transaction, so this time is before all running transactions. No transaction takes a minute.
 */
async function takeUntil(trx: Trx): Promise<string | null> {
  const { rows: lock } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.enter_batch')) as "isFree"`.execute(trx);
  if (!lock[0]?.isFree) return null;
  const { rows } = await sql<{ until: string }>`
    select greatest(now() - interval '1 minute', least(now() - interval '2 seconds', (
      select min(xact_start) - interval '1 millisecond' from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()))
    )::text as until`.execute(trx);
  return rows[0]?.until ?? null;
}

/** A kind of row to enter: its table, the time of its change, its entry, and its columns of the progress. */
type Entered = Record<'table' | 'changedAt' | 'changed' | 'entry' | 'until' | 'last', RawBuilder<unknown>> & {
  isFound: RawBuilder<boolean>;
};

const ofTurns: Entered = {
  table: sql`turns`,
  changedAt: sql`turns.completed_at`,
  changed: sql`turns.completed_at is not null and ${turnEnded}`,
  isFound: sql<boolean>`${isVisible} and not ${isAddedItems}`,
  entry: sql`turns.id, turns.completed_at, ${entryOfTurn}`,
  until: sql`turns_until`,
  last: sql`last_turn`,
};

const ofConversations: Entered = {
  table: sql`conversations`,
  changedAt: sql`conversations.created_at`,
  changed: conversationCreated,
  isFound: sql<boolean>`conversations.hidden_at is null`,
  entry: sql`conversations.id, null::timestamptz, ${entryOfConversation}`,
  until: sql`conversations_until`,
  last: sql`last_conversation`,
};

/** An id after all others. Beside a time, it includes all rows of that time. */
const LAST_ID = 'zz';

/** Enters a batch of a table, oldest change first. Returns whether the batch was full. */
async function enterThose(
  trx: Trx,
  { from, to, ...entered }: Entered & { from: RawBuilder<unknown>; to: string },
): Promise<boolean> {
  const { table, changedAt, changed, isFound, until, last } = entered;
  const end = sql`${sql.lit(to)}::timestamptz`;
  const { rows } = await sql<{ isFull: boolean }>`
    with looked as materialized (
      select id, ${changedAt} as at from ${table} where ${changed} > ${from} and ${changed} <= (${end}, ${sql.lit(LAST_ID)})
      order by ${changedAt}, id limit ${sql.lit(BATCH_SIZE)}),
    entered as (${enter(sql`${lookedUp(table)} where ${isFound}`, entered)}),
    seen as (
      select count(*) = ${sql.lit(BATCH_SIZE)} as is_full, max(at) as at,
        (select id from looked order by at desc, id desc limit 1) as last_id from looked)
    update search_progress set ${until} = case when is_full then at else ${end} end,
      ${last} = case when is_full then last_id else ${sql.lit(LAST_ID)} end
    from seen where is_full or ${until} <= ${end}
    returning is_full as "isFull"`.execute(trx);
  return rows[0]?.isFull ?? false;
}

/** The longest time that a transaction takes. All older rows are visible. */
const LONGEST_TRANSACTION_MS = 60_000;

/**
 * Enters a batch of turns that have been active for long without an entry, oldest first. Returns whether the batch
 * was full. If not, advances the progress to an id below all turns that may still appear, however far clocks differ.
 */
async function enterActive(trx: Trx, progress: Progress): Promise<boolean> {
  const { rows } = await sql<{ isFull: boolean; nowMs: number }>`
    with looked as materialized (
      select id from ${activeTurns}
      where ${isUnentered(progress)} and created_at < ${inMs(-timing.enterActiveMs)} and ${ofTurns.isFound}
      order by id limit ${sql.lit(BATCH_SIZE)}),
    entered as (${enter(lookedUp(ofTurns.table), ofTurns)})
    select count(*) = ${sql.lit(BATCH_SIZE)} as "isFull", (extract(epoch from now()) * 1000)::double precision as "nowMs" from looked`.execute(
    trx,
  );
  const [{ isFull, nowMs } = { isFull: false, nowMs: 0 }] = rows;
  if (isFull) return true;
  const until = firstIdAt('turn', nowMs - timing.enterActiveMs - LONGEST_TRANSACTION_MS - MOST_SKEW_MS);
  await sql`update search_progress set active_until = greatest(active_until, ${until})`.execute(trx);
  return false;
}

/**
 * Selects the rows of `looked`, each by its id. For a join, PostgreSQL reads the whole table for each row if it
 * expects few visible rows.
 */
function lookedUp(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`looked cross join lateral (select * from ${table} where ${table}.id = looked.id offset 0) as ${table}`;
}

function enter(rows: RawBuilder<unknown>, { entry }: Entered): RawBuilder<unknown> {
  return sql`insert into search_entries (id, completed_at, tokens) select ${entry} from ${rows}
    on conflict (id) do update set completed_at = excluded.completed_at, tokens = excluded.tokens`;
}
