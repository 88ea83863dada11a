import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { inMs } from './sql/due.ts';
import type { Db, Trx } from './tables.ts';

/** Turns that one transaction erases at most. */
const MAX_TURNS = 500;

/**
 * Erases the turns that no caller finds and on which nothing stands: those that are not stored and have ended, and
 * deleted ones without a visible turn or a fork behind them. All of their rows go, and the conversations that go with
 * them. It looks at up to `limit` conversations, in one transaction, and returns how many were due: while that is more
 * than 0, others may be due by now (R21).
 */
export async function eraseHidden(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const due = await takeDue(trx, limit);
    if (due.length === 0) return 0;
    const erased = await eraseTurns(trx, due);
    const origins = await eraseConversations(trx, due, erased === MAX_TURNS);
    if (origins.length > 0) await lookAtOrigins(trx, origins);
    return due.length;
  });
}

/**
 * Locks conversations that are due. What starts a turn behind one of theirs, or a fork of it, locks the conversation too:
 * it comes first and keeps what it stands on, or finds nothing to stand on. Only this verb locks several conversations, so
 * that two of it could wait for each other: one process erases at a time.
 */
async function takeDue(trx: Trx, limit: number): Promise<string[]> {
  const { rows: lock } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.erase_hidden')) as "isFree"`.execute(trx);
  if (!lock[0]?.isFree) return [];
  const { rows } = await sql<{ id: string }>`
    select id from conversations where erase_due_at <= now() order by erase_due_at limit ${limit}
    for update skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}

/**
 * Erases turns, with the keys that they were created under: those were written in the same transaction, so at the same
 * time. Returns how many.
 */
async function eraseTurns(trx: Trx, due: string[]): Promise<number> {
  const { rows } = await sql<{ erased: number }>`
    with due as materialized (select value as id from json_array_elements_text(${due}::json)),
    candidate as materialized (
      select turns.id, conversation_id, position, stored, history_until
      from due join turns on conversation_id = due.id and (history_until is not null or not stored)
      where case when stored then completed_at is not null else completed_at < ${inMs(-timing.keepUnstoredMs)} end
    ),
    forked as materialized (
      select origin.conversation_id, origin.position
      from (select conversation_id, min(position) as since from candidate where stored group by conversation_id) as hidden
      join turns as origin on origin.conversation_id = hidden.conversation_id and origin.position >= since
      where exists (select from conversations as fork where fork.forked_from = origin.id)
    ),
    erased as (
      delete from turns where id in (
        select id from candidate where not stored or not exists (
          select from forked where forked.conversation_id = candidate.conversation_id
            and forked.position between candidate.position and history_until)
        limit ${MAX_TURNS})
      returning id, created_at
    ),
    forgotten as (
      delete from idempotency_keys using erased
      where idempotency_keys.created_at = erased.created_at and resource_id = erased.id
    )
    select count(*)::int as erased from erased`.execute(trx);
  return rows[0]?.erased ?? 0;
}

/**
 * Erases conversations that have no turn left, where they do not outlive their turns. The others are looked at again when
 * one of them changes, or soon where a turn that is not stored is still active, or where turns were left for another time.
 * Returns the turns that the erased ones were forks of.
 */
async function eraseConversations(trx: Trx, due: string[], isCut: boolean): Promise<string[]> {
  const { rows } = await sql<{ forkedFrom: string }>`
    with due as materialized (select value as id from json_array_elements_text(${due}::json)),
    emptied as materialized (
      select id from due join conversations using (id)
      where (hidden_at is not null or not outlives_turns) and not exists (select from turns where conversation_id = due.id)
    ),
    erased as (
      delete from conversations where id in (select id from emptied) returning forked_from
    ),
    looked as (
      update conversations set erase_due_at = case when ${isCut} then now() when exists (
          select from turns where conversation_id = conversations.id and not stored and (history_until is not null or not stored)
        ) then ${inMs(timing.eraseEveryMs)} end
      where id in (select id from due except select id from emptied)
    )
    select forked_from as "forkedFrom" from erased where forked_from is not null`.execute(trx);
  return rows.map(({ forkedFrom }) => forkedFrom);
}

/** What the erased forks stood on may have nothing left on it. */
async function lookAtOrigins(trx: Trx, origins: string[]): Promise<void> {
  const look = sql`
    update conversations set erase_due_at = now()
    where id in (
        select conversation_id from turns where id in (select value from json_array_elements_text(${origins}::json)))
      and exists (
        select from turns where conversation_id = conversations.id and (history_until is not null or not stored))`;
  await look.execute(trx);
}
