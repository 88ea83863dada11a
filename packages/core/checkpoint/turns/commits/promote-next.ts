import { sql } from 'kysely';
import { timing } from '../../../turn/timing.ts';
import { dueIn } from '../../sql/due.ts';
import { dueWithSlot, hasSlot, requestSlot } from '../../sql/slot.ts';

/**
 * The part of the statement that makes the next waiting turn the head of the conversation, and due. The row of the
 * ended turn is deleted first (`gone`). The conversation's lock and a unique index prevent two heads (R17). A delayed
 * turn does not change (R35).
 */
export const promoteNext = sql`
  update work set at_head = true, due_at = ${dueWithSlot(dueIn(timing.graceMs))}, ${requestSlot}, waiting_since = now()
  from ended join gone using (id)
  where work.id = (
      select waiting.id from work as waiting
      where waiting.conversation_id = ended.conversation_id and waiting.position is not null
        and not waiting.at_head and waiting.id <> ended.id
      order by waiting.position limit 1)
    and not exists (
      select from work as head
      where head.conversation_id = ended.conversation_id and head.at_head and head.id <> ended.id)
  returning case when ${hasSlot} then json_build_object('kind', 'turn', 'turnId', work.id, 'step', work.step, 'generation', work.generation,
    'provider', work.provider, 'priority', work.priority) end as wakeup`;
