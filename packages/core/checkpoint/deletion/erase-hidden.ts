import { sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import { eraseLines } from './erase-lines.ts';
import { lockLines } from './lock-lines.ts';

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
    const { turnIds, conversationIds } = await eraseLines(trx, {
      lines: due,
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
 * Locks conversations that are due. What starts a turn behind one of theirs, or a fork of it, locks the conversation too:
 * it comes first and keeps what it stands on, or finds nothing to stand on. This verb waits for no conversation: one that
 * another has locked is looked at the next time. One process erases at a time.
 */
async function takeDue(trx: Trx, limit: number): Promise<string[]> {
  const { rows: lock } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('pawl.erase_hidden')) as "isFree"`.execute(trx);
  if (!lock[0]?.isFree) return [];
  const { rows } = await sql<{ id: string }>`
    select id from conversations where erase_due_at <= now() order by erase_due_at limit ${limit}
    for update skip locked`.execute(trx);
  return lockLines(
    trx,
    rows.map(({ id }) => id),
    { waits: false },
  );
}

/**
 * The conversations that are left are looked at again when one of them changes, or soon where a turn that is not stored is still
 * active, or where turns were left for another time.
 */
async function lookAgain(trx: Trx, { looked, isCut }: { looked: string[]; isCut: boolean }): Promise<void> {
  await sql`
    update conversations set erase_due_at = case when ${isCut} then now() when exists (
        select from turns where conversation_id = conversations.id and not stored and (history_until is not null or not stored)
      ) then ${inMs(timing.eraseEveryMs)} end
    where id in (${listed(looked)})`.execute(trx);
}
