import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Db } from '../tables.ts';
import { type Aged, daysAgo, isOnlyEraser } from './erase-aged.ts';
import { deleteConversations, type ErasedBatch } from './erase-threads.ts';

const MAX_LOOKED_AT = 500;

type OldConversation = { id: string; isOld: boolean; isEmpty: boolean };

/**
 * Erases a batch of conversations without turns that are older than the project's retention of turns (R32). Skips a
 * locked conversation, since it is about to get a turn.
 */
export async function eraseUnused(db: Db, { project, days, after }: Aged): Promise<ErasedBatch> {
  return db.transaction().execute(async (trx) => {
    if (!(await isOnlyEraser(trx))) return { turnIds: [], conversationIds: [], next: null };
    const { rows } = await sql<OldConversation>`
      select id, created_at < ${daysAgo(days)} as "isOld", forked_from is null and not exists (${turns}) as "isEmpty"
      from conversations where project = ${project} and id > ${after} order by id limit ${MAX_LOOKED_AT}`.execute(trx);
    const empty = rows.filter(({ isOld, isEmpty }) => isOld && isEmpty).map(({ id }) => id);
    const { rows: locked } = await sql<{ id: string }>`
      select id from conversations where id in (${listed(empty)}) for update skip locked`.execute(trx);
    // Under the lock, a turn that started in between is visible.
    const { rows: unused } = await sql<{ id: string }>`
      select id from conversations where id in (${listed(locked.map(({ id }) => id))}) and not exists (${turns})`.execute(
      trx,
    );
    const conversationIds = unused.map(({ id }) => id);
    if (conversationIds.length > 0) await deleteConversations(trx, conversationIds);
    const goesOn = rows.length === MAX_LOOKED_AT && rows.some(({ isOld }) => isOld);
    return {
      turnIds: [],
      conversationIds,
      next: goesOn ? (rows.at(-1)?.id ?? null) : null,
    };
  });
}

const turns = sql`select from turns where conversation_id = conversations.id`;
