import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import { appendEvents } from './append-events.ts';
import type { Trx } from './database.ts';
import { dueAtDeadline, dueIn } from './due.ts';
import { lockConversation } from './lock-conversation.ts';
import { ringColumns } from './ring-columns.ts';

/** What came of a retry: the ring it owes, null while another turn of the conversation is at the head. */
export type Retried = { kind: 'resumed'; ring: TurnRing | null } | { kind: 'not-failed' } | { kind: 'missing' };

/** Reopens a failed turn at its last checkpoint, the only way back from a terminal state (R14). */
export async function retryTurn(trx: Trx, project: string, turnId: string): Promise<Retried> {
  const turn = await trx
    .selectFrom('turns')
    .select('conversation_id')
    .where('id', '=', turnId)
    .where('project', '=', project)
    .executeTakeFirst();
  if (!turn) return { kind: 'missing' };

  // It may have been deleted while this waited for it, and all its turns with it.
  if (!(await lockConversation(trx, turn.conversation_id))) return { kind: 'missing' };
  const { rows } = await sql<TurnRing & { at_head: boolean }>`
    with conversation as (update conversations set reopened = reopened + 1 where id = ${turn.conversation_id}),
    head as (
      select not exists (select from turns where conversation_id = ${turn.conversation_id} and at_head) as is_free
    )
    update turns set status = case when started_at is null then 'queued' else 'in_progress' end, error = null,
      completed_at = null, at_head = is_free, due_at = case when is_free then ${dueIn(timing.graceMs)} else ${dueAtDeadline} end,
      retry_at = null, rate_limited = false, waits_since = now(), ring = ring + 1, starts = 0, rescues = 0, attempts = 0, parked_ms = 0
    from head where id = ${turnId} and status = 'failed'
    returning ${ringColumns}, at_head`.execute(trx);
  const [ring] = rows;
  if (!ring) return { kind: 'not-failed' };

  await appendEvents(trx, turnId, [{ id: newId('evt'), type: 'turn.resumed' }]);
  return { kind: 'resumed', ring: ring.at_head ? ring : null };
}
