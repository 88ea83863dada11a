import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { dueIn } from './due.ts';

/**
 * The turn that has waited longest behind an ended one comes to the head and is owed. `from ended` puts the old head
 * aside first; the conversation's lock and a unique index keep two from ever being there (R17).
 */
export const promoteNext = sql`
  update turns set at_head = true, due_at = ${dueIn(timing.graceMs)}, waits_since = now() from ended
  where turns.id = (
      select waiting.id from turns as waiting
      where waiting.conversation_id = ended.conversation_id and waiting.due_at is not null
        and not waiting.at_head and waiting.id <> ended.id
      order by waiting.position limit 1)
    and not exists (
      select from turns as head
      where head.conversation_id = ended.conversation_id and head.at_head and head.id <> ended.id)
  returning json_build_object('kind', 'turn', 'turnId', turns.id, 'step', turns.step, 'number', turns.ring,
    'provider', turns.provider, 'priority', turns.priority) as ring`;
