import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { AskedCall } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { ToolEffect } from '../turn/tool.ts';
import type { Db } from './database.ts';
import { dueIn } from './due.ts';
import { ringColumns } from './ring-columns.ts';

/** A reply that asks for tools, about to be committed. `startedAt` is when the model was asked, milliseconds since 1970. */
export type NewRound = {
  turnId: string;
  number: number;
  reply: Reply;
  calls: (AskedCall & { effect: ToolEffect })[];
  attempts: number;
  startedAt: number;
};

/**
 * Records a reply, the calls it asks for and the batch it makes owed, in one statement. The first write wins: the
 * step is the guard, so a redelivered job or a zombie cannot rewrite history (R5). Null when nothing was written.
 */
export async function saveRound(db: Db, round: NewRound): Promise<TurnRing | null> {
  const { turnId, number, reply, calls } = round;
  const { rows } = await sql<TurnRing>`
    with turns as (
      update turns set step = ${`b${number}`}, open_calls = ${calls.length}, due_at = ${dueIn(timing.graceMs)},
        held_by = null, held_until = null, ring = 0, starts = 0, rescues = 0, attempts = 0, last_event = last_event + 1
      where id = ${turnId} and status = 'in_progress' and step = ${`r${number}`}
      returning *
    ),
    round as (
      insert into rounds (turn_id, number, text, finish_reason, finish_reason_raw, usage, opaque, attempts, started_at)
      select id, ${number}::int, ${reply.text}::text, ${reply.finishReason}, ${reply.finishReasonRaw}::text, ${reply.usage}::json,
        ${reply.opaque ?? null}::json, ${round.attempts}::int, to_timestamp(${round.startedAt / 1000}::double precision) from turns
    ),
    calls as (
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect)
      select turns.id, ${number}::int, call.ordinality - 1, call.id, call.name, call.arguments, call.effect
      from turns, rows from (json_to_recordset(${calls}::json) as (id text, name text, arguments text, effect text))
        with ordinality as call (id, name, arguments, effect, ordinality)
    ),
    event as (
      insert into events (turn_id, number, id, type, round)
      select id, last_event, ${newId('evt')}, 'round.completed', ${number}::int from turns
    )
    select ${ringColumns} from turns`.execute(db);
  return rows[0] ?? null;
}
