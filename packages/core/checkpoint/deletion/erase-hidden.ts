import { sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import { eraseThreads } from './erase-threads.ts';
import { lockThreads } from './lock-threads.ts';

const MAX_TURNS = 500;

/**
 * Erases hidden turns without dependants: ended unstored turns, and deleted turns without a later visible turn or a
 * fork. Also erases conversations that end with them. Examines up to `limit` conversations in one transaction and
 * returns how many were due. More may be due while it is above 0 (R21).
 */
export async function eraseHidden(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const due = await takeDue(trx, limit);
    if (due.length === 0) return 0;
    const { turnIds, conversationIds } = await eraseThreads(trx, {
      conversationIds: due,
      leaving: [],
      isByAge: false,
      limit: MAX_TURNS,
    });
    const gone = new Set(conversationIds);
    await lookAgain(trx, { looked: due.filter((id) => !gone.has(id)), isCut: turnIds.length >= MAX_TURNS });
    return due.length;
  });
}

/**
 * Locks due conversations. A follow-up turn or a fork locks the conversation too: it keeps the turns that it depends
 * on, or finds them erased. Leaves locked conversations for the next time. One process erases at a time.
 */
async function takeDue(trx: Trx, limit: number): Promise<string[]> {
  const { rows: lock } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.erase_hidden')) as "isFree"`.execute(trx);
  if (!lock[0]?.isFree) return [];
  const { rows } = await sql<{ id: string }>`
    select id from conversations where erase_due_at <= now() order by erase_due_at limit ${limit}
    for update skip locked`.execute(trx);
  return lockThreads(
    trx,
    rows.map(({ id }) => id),
    { waits: false },
  );
}

/**
 * Sets the next examination of the remaining conversations: after their next change, soon if an unstored turn is
 * active, or at once if turns were left.
 */
async function lookAgain(trx: Trx, { looked, isCut }: { looked: string[]; isCut: boolean }): Promise<void> {
  await sql`
    update conversations set erase_due_at = case when ${isCut} then now() when exists (
        select from turns where conversation_id = conversations.id and not stored and (history_until is not null or not stored)
      ) then ${inMs(timing.eraseEveryMs)} end
    where id in (${listed(looked)})`.execute(trx);
}
