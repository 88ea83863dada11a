import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import { timing } from '../../../turn/timing.ts';
import type { TurnWakeup } from '../../../turn/wakeup.ts';
import { dueAtDeadline, dueIn } from '../../sql/due.ts';
import { listed } from '../../sql/listed.ts';
import { wakeupColumns } from '../../sql/wakeup.ts';
import type { Db, Trx } from '../../tables.ts';

/** The queued turns: the wakeups to enqueue after the commit, and the ids of all turns. */
export type QueuedTurns = { wakeups: TurnWakeup[]; turnIds: string[] };

const NOTHING: QueuedTurns = { wakeups: [], turnIds: [] };

/** The condition that a delayed turn is due. A turn that a bulk has stopped waits for its cancellation (R34). */
const isDue = sql<boolean>`position is null and completed_at is null and start_at <= now()
  and (select slot from work where work.id = turns.id) is distinct from 'stopped'`;

/**
 * Queues delayed turns that are due by the database's clock, as if they were requested now (R35). Each takes its
 * position, and the head if it is free, under the lock of its conversation. The end of another turn uses the same
 * lock, so the later of the two sees the other. Leaves locked conversations for the next time.
 */
export async function queueDelayed(
  db: Db,
  { limit, needsSlot }: { limit: number; needsSlot: boolean },
): Promise<QueuedTurns> {
  const due = await read(db, sql`select from turns where ${isDue} limit 1`);
  if (due.length === 0) return NOTHING;
  return db.transaction().execute(async (trx) => {
    const { rows: conversations } = await sql<{ id: string }>`
      select id from conversations
      where id in (select conversation_id from turns where ${isDue} order by start_at limit ${limit})
      order by id for no key update skip locked`.execute(trx);
    const ids = conversations.map(({ id }) => id);
    return ids.length === 0 ? NOTHING : takePositions(trx, ids, needsSlot);
  });
}

async function takePositions(trx: Trx, conversationIds: string[], needsSlot: boolean): Promise<QueuedTurns> {
  const { rows } = await sql<TurnWakeup & { atHead: boolean }>`
    with due as materialized (
      select id, conversation_id, row_number() over (partition by conversation_id order by start_at, id) as nth
      from turns where conversation_id in (${listed(conversationIds)}) and ${isDue}
    ),
    conversation as (
      update conversations set turns = turns + number
      from (select conversation_id, count(*) as number from due group by conversation_id) as counted
      where conversations.id = counted.conversation_id
      returning conversations.id, turns - number as before,
        not exists (select from work where conversation_id = conversations.id and at_head) as is_free
    ),
    queued as (
      update work set position = before + nth, at_head = is_free and nth = 1, waiting_since = now(),
        slot = case when ${needsSlot} then case when is_free and nth = 1 then 'wanted' else 'none' end end,
        due_at = case when is_free and nth = 1 and not ${needsSlot} then ${dueIn(timing.graceMs)} else ${dueAtDeadline} end
      from due join conversation on conversation.id = due.conversation_id where work.id = due.id
      returning ${wakeupColumns}, work.position, at_head as "atHead"
    )
    update turns set position = queued.position from queued where turns.id = "turnId"
    returning kind, "turnId", queued.step, queued.generation, queued.provider, queued.priority, "atHead"`.execute(trx);
  const first = needsSlot ? [] : rows.filter(({ atHead }) => atHead);
  return {
    wakeups: first.map(({ atHead: _, ...wakeup }) => wakeup),
    turnIds: rows.map(({ turnId }) => turnId),
  };
}
