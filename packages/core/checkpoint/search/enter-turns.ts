import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../id.ts';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Db, Trx } from '../tables.ts';
import { activeTurns } from './active-turns.ts';
import {
  conversationMade,
  entryOfConversation,
  entryOfTurn,
  isUnentered,
  type Progress,
  readProgress,
  turnEnded,
} from './search-query.ts';
import { MOST_SKEW_MS } from './turn-filter.ts';

/** Rows of one portion. */
const PORTION = 400;

/**
 * Enters turns that have ended and conversations that were made since it last did, and turns that have been active for long, so
 * that searches find them by their entries. One portion, in one transaction, by one process at a time; returns whether more is left.
 */
export async function enterPortion(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const to = await takeUntil(trx);
    if (!to) return false;
    const progress = await readProgress(trx);
    // Whose rows are read here while they are deleted would stay: `forget_entries` waits for this.
    await sql`select pg_advisory_xact_lock(hashtext('pawl.search_entries'))`.execute(trx);
    const turns = await enterThose(trx, { ...ofTurns, from: progress.turns, to });
    const conversations = await enterThose(trx, { ...ofConversations, from: progress.conversations, to });
    const active = await enterActive(trx, progress);
    return turns || conversations || active;
  });
}

/** Enters a turn again, or a conversation, in the transaction that has changed what finds it. */
export async function enterTurn(trx: Trx, id: string): Promise<void> {
  await enter(sql`turns where turns.id = ${id} and ${ofTurns.isFound}`, ofTurns).execute(trx);
}

/** The same for a conversation. */
export async function enterConversation(trx: Trx, id: string): Promise<void> {
  await enter(
    sql`conversations where conversations.id = ${id} and ${ofConversations.isFound}`,
    ofConversations,
  ).execute(trx);
}

/**
 * Up to when rows can be entered: what is changed by a transaction is as old as its beginning, so nothing is passed by that a
 * running one may still write. None takes as long as a minute. Null while another process enters.
 */
async function takeUntil(trx: Trx): Promise<string | null> {
  const { rows: lock } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.enter_portion')) as "isFree"`.execute(trx);
  if (!lock[0]?.isFree) return null;
  const { rows } = await sql<{ until: string }>`
    select greatest(now() - interval '1 minute', least(now() - interval '2 seconds', (
      select min(xact_start) - interval '1 millisecond' from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()))
    )::text as until`.execute(trx);
  return rows[0]?.until ?? null;
}

/** What is entered: its table, when a row changed, what finds it, and the columns of the progress. */
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
  changed: conversationMade,
  isFound: sql<boolean>`conversations.hidden_at is null`,
  entry: sql`conversations.id, null::timestamptz, ${entryOfConversation}`,
  until: sql`conversations_until`,
  last: sql`last_conversation`,
};

/** No id comes behind it: with the time beside it, all of that time is meant. */
const LAST_ID = 'zz';

/** Enters a portion of one table, oldest change first, and returns whether it was full. */
async function enterThose(
  trx: Trx,
  { from, to, ...entered }: Entered & { from: RawBuilder<unknown>; to: string },
): Promise<boolean> {
  const { table, changedAt, changed, isFound, until, last } = entered;
  const end = sql`${sql.lit(to)}::timestamptz`;
  const { rows } = await sql<{ isFull: boolean }>`
    with looked as materialized (
      select id, ${changedAt} as at from ${table} where ${changed} > ${from} and ${changed} <= (${end}, ${sql.lit(LAST_ID)})
      order by ${changedAt}, id limit ${sql.lit(PORTION)}),
    entered as (${enter(sql`${lookedUp(table)} where ${isFound}`, entered)}),
    seen as (
      select count(*) = ${sql.lit(PORTION)} as is_full, max(at) as at,
        (select id from looked order by at desc, id desc limit 1) as last_id from looked)
    update search_progress set ${until} = case when is_full then at else ${end} end,
      ${last} = case when is_full then last_id else ${sql.lit(LAST_ID)} end
    from seen where is_full or ${until} <= ${end}
    returning is_full as "isFull"`.execute(trx);
  return rows[0]?.isFull ?? false;
}

/** No transaction takes longer, so what is as old is seen. */
const LONGEST_TRANSACTION_MS = 60_000;

/**
 * Enters a portion of the turns that are active for long and have no entry, oldest first, and returns whether it was full. Once there
 * are no others, none is left whose id is as old, however far clocks differ.
 */
async function enterActive(trx: Trx, progress: Progress): Promise<boolean> {
  const { rows } = await sql<{ isFull: boolean; nowMs: number }>`
    with looked as materialized (
      select id from ${activeTurns}
      where ${isUnentered(progress)} and created_at < ${inMs(-timing.enterActiveMs)} and ${ofTurns.isFound}
      order by id limit ${sql.lit(PORTION)}),
    entered as (${enter(lookedUp(ofTurns.table), ofTurns)})
    select count(*) = ${sql.lit(PORTION)} as "isFull", (extract(epoch from now()) * 1000)::double precision as "nowMs" from looked`.execute(
    trx,
  );
  const [{ isFull, nowMs } = { isFull: false, nowMs: 0 }] = rows;
  if (isFull) return true;
  const until = firstIdAt('turn', nowMs - timing.enterActiveMs - LONGEST_TRANSACTION_MS - MOST_SKEW_MS);
  await sql`update search_progress set active_until = greatest(active_until, ${until})`.execute(trx);
  return false;
}

/**
 * The rows of `looked`, each by its id. A join is left to Postgres, which reads the whole table for each of them where it expects few to
 * be visible.
 */
function lookedUp(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`looked cross join lateral (select * from ${table} where ${table}.id = looked.id offset 0) as ${table}`;
}

function enter(rows: RawBuilder<unknown>, { entry }: Entered): RawBuilder<unknown> {
  return sql`insert into search_entries (id, completed_at, tokens) select ${entry} from ${rows}
    on conflict (id) do update set completed_at = excluded.completed_at, tokens = excluded.tokens`;
}
