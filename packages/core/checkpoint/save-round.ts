import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { AskedCall } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import type { Ring } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { ToolEffect } from '../turn/tool.ts';
import type { WaitsFor } from '../turn/turn.ts';
import type { Subscription } from '../turn/turn-request.ts';
import type { Db } from './database.ts';
import { dueAtDeadline, dueIn, inMs } from './due.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { type OwedRow, owedOf } from './owed-of.ts';
import { ringColumns } from './ring-columns.ts';

/** A call of a reply, with whom it waits for (nobody: null) and for how many seconds at most (null: no bound). */
export type NewCall = AskedCall & { effect: ToolEffect; waitsFor: WaitsFor | null; expiresInSeconds: number | null };

/** A reply that asks for tools, about to be committed. `startedAt` is when the model was asked, milliseconds since 1970. */
export type NewRound = {
  turnId: string;
  number: number;
  reply: Reply;
  calls: NewCall[];
  attempts: number;
  startedAt: number;
  /** All of the turn's warnings so far. */
  warnings: string[];
  /** How the turn subscribed: it is at hand, and its configuration need not be read again for each round. */
  webhook: Subscription | null;
};

/**
 * Records a reply, the calls it asks for and what they make owed, in one statement: a batch, or, where every call
 * waits for somebody outside, nothing but their answers. The first write wins: the step is the guard, so a redelivered
 * job or a zombie cannot rewrite history (R5). Answers the rings owed; null when nothing was written.
 */
export async function saveRound(db: Db, round: NewRound): Promise<Ring[] | null> {
  const { turnId, number, reply, calls } = round;
  const waiting = calls.filter((call) => call.waitsFor !== null);
  const parks = waiting.length === calls.length;
  const { rows } = await sql<OwedRow>`
    with turns as (
      update turns set step = ${`b${number}`}, open_calls = ${calls.length}, waiting_calls = ${waiting.length},
        status = ${parks ? 'requires_action' : 'in_progress'}, due_at = ${parks ? dueAtExpiry(waiting) : dueIn(timing.graceMs)},
        warnings = ${round.warnings}::json, held_by = null, held_until = null, retry_at = null, ring = 0, starts = 0, rescues = 0, attempts = 0,
        last_event = last_event + ${parks ? 2 : 1}
      where id = ${turnId} and status = 'in_progress' and step = ${`r${number}`}
      returning *
    ),
    round as (
      insert into rounds (turn_id, number, text, finish_reason, finish_reason_raw, usage, opaque, requests, attempts, started_at)
      select id, ${number}::int, ${reply.text}::text, ${reply.finishReason}, ${reply.finishReasonRaw}::text, ${reply.usage}::json,
        ${reply.opaque ?? null}::json, ${reply.requests ?? 1}::int, ${round.attempts}::int, to_timestamp(${round.startedAt / 1000}::double precision) from turns
    ),
    calls as (${insertCalls(number, calls)}),
    event as (
      insert into events (turn_id, number, id, type, round, data)
      select id, last_event - ${parks ? 1 : 0}, ${newId('evt')}, 'round.completed', ${number}::int, null::json from turns
      union all
      select id, last_event, ${newId('evt')}, 'turn.requires_action', ${number}::int, ${parks ? asked(calls) : null}::json
      from turns where ${parks}
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries(sql`turns`, sql`${round.webhook}::json`)})
    select ${ringColumns}, ${!parks}::boolean as "isOwed", (select json_agg(id) from delivery) as "deliveryIds"
    from turns`.execute(db);
  return rows[0] ? owedOf(rows[0]) : null;
}

function insertCalls(round: number, calls: NewCall[]) {
  return sql`
    insert into tool_calls (turn_id, round, index, id, name, arguments, effect, waits_for, expires_at)
    select turns.id, ${round}::int, call.ordinality - 1, call.id, call.name, call.arguments, call.effect, call.waits_for,
      case when call.waits_for is not null then now() + make_interval(secs => call.expires_in) end
    from turns, rows from (json_to_recordset(${calls}::json)
        as (id text, name text, arguments text, effect text, "waitsFor" text, "expiresInSeconds" int))
      with ordinality as call (id, name, arguments, effect, waits_for, expires_in, ordinality)`;
}

/** A parked turn is due when the first of its calls expires, or at its deadline. */
function dueAtExpiry(waiting: NewCall[]) {
  const seconds = waiting.flatMap(({ expiresInSeconds }) => expiresInSeconds ?? []);
  return seconds.length > 0 ? sql`least(${inMs(Math.min(...seconds) * 1000)}, deadline_at)` : dueAtDeadline;
}

/** What `turn.requires_action` keeps: which calls wait for what, by their place in the batch. */
function asked(calls: NewCall[]) {
  const places = (waitsFor: WaitsFor) => calls.flatMap((call, index) => (call.waitsFor === waitsFor ? [index] : []));
  return { outputs: places('output'), approvals: places('approval') };
}
