import { type RawBuilder, sql } from 'kysely';
import { newId } from '../id.ts';
import { type NewTurn, type Queued, queuedTurn } from '../turn/queued-turn.ts';
import { timing } from '../turn/timing.ts';
import type { Turn } from '../turn/turn.ts';
import type { StandingConfig } from '../turn/turn-request.ts';
import type { Db, Trx } from './database.ts';
import { inMs } from './due.ts';

/** What a new conversation's turns inherit, and what its caller wants to find it by. */
type Standing = { config: StandingConfig; metadata: Record<string, string> };

/** Records a turn behind those its conversation already has; the caller has locked the conversation. */
export async function createTurn(trx: Trx, turn: NewTurn): Promise<Turn> {
  const { conversationId } = turn;
  const conversation = sql`
    update conversations set turns = turns + 1 where id = ${conversationId}
    returning turns as position, not exists (select from turns where conversation_id = ${conversationId} and at_head) as at_head`;
  return insertTurn(trx, turn, conversation);
}

/** Records a conversation together with its first turn, in one statement. */
export async function createFirstTurn(db: Db, turn: NewTurn, { config, metadata }: Standing): Promise<Turn> {
  const conversation = sql`
    insert into conversations (id, project, config, metadata, turns)
    values (${turn.conversationId}, ${turn.project}, ${config}::json, ${metadata}::json, 1)
    returning turns as position, true as at_head`;
  return insertTurn(db, turn, conversation);
}

async function insertTurn(db: Db, turn: NewTurn, conversation: RawBuilder<unknown>): Promise<Turn> {
  const deadline = turn.config.limits.deadline_seconds;
  const deadlineAt = deadline === null ? sql`null::timestamptz` : inMs(deadline * 1000);
  const provider = turn.config.model.slice(0, turn.config.model.indexOf('/'));
  const { rows } = await sql<Queued>`
    with conversation as (${conversation}),
    turns as (
      insert into turns (id, project, conversation_id, position, provider, priority, config, input, metadata, at_head,
        deadline_at, due_at, last_event)
      select ${turn.id}, ${turn.project}, ${turn.conversationId}, position, ${provider}, ${turn.priority}, ${turn.config}::json,
        ${turn.input}::json, ${turn.metadata}::json, at_head, ${deadlineAt},
        case when at_head then least(${inMs(timing.graceMs)}, ${deadlineAt}) else coalesce(${deadlineAt}, 'infinity') end, 1
      from conversation
      returning *
    ),
    event as (insert into events (turn_id, number, id, type) select id, 1, ${newId('evt')}, 'turn.queued' from turns)
    select position, at_head as "atHead", created_at::text as "createdAt" from turns`.execute(db);
  const [queued] = rows;
  if (!queued) throw new Error(`${turn.id} was not recorded although nothing stood in its way.`);
  return queuedTurn(turn, queued);
}
