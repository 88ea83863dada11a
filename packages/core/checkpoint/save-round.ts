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
import { dueIn } from './due.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { type OwedRow, owedOf } from './owed-of.ts';
import { ringColumns } from './ring-columns.ts';
import { asItIs, statementFor } from './row-set.ts';

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
  const [row] = await write(db, rowOf(round));
  return row ? owedOf(row) : null;
}

/** A parked turn is due when the first of its calls expires, or at its deadline. */
const dueAtExpiry = sql`least(now() + make_interval(secs => "expiresIn"), coalesce(deadline_at, 'infinity'))`;

const write = statementFor<OwedRow>(
  sql`number int, text text, "finishReason" text, "finishReasonRaw" text, usage json, opaque text,
  requests int, attempts int, "startedAt" double precision, warnings json, calls json, "openCalls" int, "waitingCalls" int,
  parks boolean, "expiresIn" double precision, waiting json, webhook json, "eventIds" json`,
  (asked) => sql`
    with ${asked},
    turns as (
      update turns set step = 'b' || number, open_calls = "openCalls", waiting_calls = "waitingCalls",
        status = case when parks then 'requires_action' else 'in_progress' end,
        due_at = case when parks then ${dueAtExpiry} else ${dueIn(timing.graceMs)} end,
        warnings = asked.warnings, held_by = null, held_until = null, retry_at = null, rate_limited = false,
        waits_since = now(), ring = 0, starts = 0, rescues = 0,
        attempts = 0, last_event = last_event + case when parks then 2 else 1 end
      from asked where turns.id = "turnId" and status = 'in_progress' and step = 'r' || number
      returning turns.id, project, provider, priority, turns.step, ring, last_event, asked.*
    ),
    round as (
      insert into rounds (turn_id, number, text, finish_reason, finish_reason_raw, usage, opaque, requests, attempts, started_at)
      select id, number, text, "finishReason", "finishReasonRaw", usage, opaque::json, requests, attempts, to_timestamp("startedAt")
      from turns
    ),
    calls as (
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect, waits_for, expires_at)
      select turns.id, number, call.ordinality - 1, call.id, call.name, call.arguments, call.effect, call.waits_for,
        case when call.waits_for is not null then now() + make_interval(secs => call.expires_in) end
      from turns, rows from (json_to_recordset(calls)
          as (id text, name text, arguments text, effect text, "waitsFor" text, "expiresInSeconds" int))
        with ordinality as call (id, name, arguments, effect, waits_for, expires_in, ordinality)
    ),
    event as (
      insert into events (turn_id, number, id, type, round, data)
      select id, last_event - parks::int, "eventIds" ->> 0, 'round.completed', number, null::json from turns
      union all
      select id, last_event, "eventIds" ->> 1, 'turn.requires_action', number, waiting from turns where parks
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries(sql`turns`, sql`webhook`)})
    select ${ringColumns}, not parks as "isOwed",
      (select json_agg(id) from delivery where turn_id = turns.id) as "deliveryIds"
    from turns`,
);

function rowOf({ turnId, number, reply, calls, attempts, startedAt, warnings, webhook }: NewRound) {
  const waiting = calls.filter((call) => call.waitsFor !== null);
  const parks = waiting.length === calls.length;
  const expiring = waiting.flatMap(({ expiresInSeconds }) => expiresInSeconds ?? []);
  return {
    ...{ turnId, number, attempts, startedAt: startedAt / 1000, warnings, calls, webhook },
    text: reply.text,
    finishReason: reply.finishReason,
    finishReasonRaw: reply.finishReasonRaw,
    usage: reply.usage,
    opaque: asItIs(reply.opaque),
    requests: reply.requests ?? 1,
    openCalls: calls.length,
    waitingCalls: waiting.length,
    parks,
    expiresIn: expiring.length > 0 ? Math.min(...expiring) : null,
    waiting: { outputs: placesOf(calls, 'output'), approvals: placesOf(calls, 'approval') },
    eventIds: parks ? [newId('evt'), newId('evt')] : [newId('evt')],
  };
}

/** What `turn.requires_action` keeps: which calls wait for what, by their place in the batch. */
function placesOf(calls: NewCall[], waitsFor: WaitsFor): number[] {
  return calls.flatMap((call, index) => (call.waitsFor === waitsFor ? [index] : []));
}
