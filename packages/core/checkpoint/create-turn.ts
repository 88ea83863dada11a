import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { InputMessage } from '../turn/message.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { TurnConfig } from '../turn/turn-request.ts';
import { appendEvents } from './append-events.ts';
import type { Trx } from './database.ts';
import { inMs } from './due.ts';
import { ringColumns } from './ring-columns.ts';

export type NewTurn = {
  id: string;
  project: string;
  conversationId: string;
  config: TurnConfig;
  input: InputMessage[];
  priority: number;
  metadata: Record<string, string>;
};

/**
 * Records a turn behind those its conversation already has; the caller has locked the conversation.
 * Answers the ring it owes, or null when it has to wait for the turn at the head.
 */
export async function createTurn(trx: Trx, turn: NewTurn): Promise<TurnRing | null> {
  const deadline = turn.config.limits.deadline_seconds;
  const deadlineAt = deadline === null ? sql`null::timestamptz` : inMs(deadline * 1000);
  const provider = turn.config.model.slice(0, turn.config.model.indexOf('/'));
  const { rows } = await sql<TurnRing & { at_head: boolean }>`
    with conversation as (
      update conversations set turns = turns + 1 where id = ${turn.conversationId}
      returning turns as position, not exists (select from turns where conversation_id = ${turn.conversationId} and at_head) as at_head
    )
    insert into turns (id, project, conversation_id, position, provider, priority, config, input, metadata, at_head, deadline_at, due_at)
    select ${turn.id}, ${turn.project}, ${turn.conversationId}, position, ${provider}, ${turn.priority}, ${turn.config}::json,
      ${turn.input}::json, ${turn.metadata}::json, at_head, ${deadlineAt},
      case when at_head then least(${inMs(timing.graceMs)}, ${deadlineAt}) else coalesce(${deadlineAt}, 'infinity') end
    from conversation
    returning ${ringColumns}, at_head`.execute(trx);

  await appendEvents(trx, turn.id, [{ id: newId('evt'), type: 'turn.queued' }]);
  const [ring] = rows;
  return ring?.at_head ? ring : null;
}
