import { sql } from 'kysely';
import { newId } from '../../id.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Subscription } from '../../turn/request/turn.ts';
import { timing } from '../../turn/timing.ts';
import type { WaitsFor } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import { createDeliveries } from '../sql/deliveries.ts';
import { dueIn } from '../sql/due.ts';
import { savedEdition } from '../sql/edition.ts';
import { freshStep } from '../sql/fresh-step.ts';
import { insertCalls, type NewCall } from '../sql/new-calls.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import { type DueRow, dueWakeups, wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';

/**
 * A reply with tool calls, about to be committed. `startedAt` is when its request began, in milliseconds since 1970.
 */
export type NewRound = {
  turnId: string;
  number: number;
  /** Provider and model that wrote the reply. */
  model: string;
  reply: Reply;
  calls: NewCall[];
  attempts: number;
  /** That of the run; null where it has no lease. */
  edition?: number | null;
  startedAt: number;
  /** All of the turn's warnings so far. */
  warnings: string[];
  /** The turn's own subscription: the caller has it, so the statement need not read the configuration. */
  webhook: Subscription | null;
};

/**
 * Records a reply with its calls in one statement; one of them at least is open. Its batch is due, or, where every open
 * call waits for an answer from outside, the turn waits. The first write wins: the step is the guard, so a redelivered job
 * or a zombie cannot rewrite history (R5, R18). Nor is the late reply of a model saved that the turn has left (R24). Returns the wake-ups to enqueue; null when nothing was written.
 */
export async function saveRound(db: Db, round: NewRound): Promise<Wakeup[] | null> {
  const [row] = await write(db, rowOf(round));
  return row ? dueWakeups(row) : null;
}

/** A turn that waits is due when the first of its calls expires, or at its deadline. */
const dueAtExpiry = sql`least(now() + make_interval(secs => "expiresIn"), coalesce(deadline_at, 'infinity'))`;

const write = writeFor<DueRow>(
  sql`number int, model text, text text, reasoning text, "refusalFrom" int, "ownEdition" int, "finishReason" text,
  "finishReasonRaw" text, usage json, opaque text, requests int, attempts int, "startedAt" double precision, warnings json,
  calls json, "openCalls" int, "waitingCalls" int, waits boolean, "expiresIn" double precision, waiting json, webhook json, "eventIds" json`,
  (input) => sql`
    with ${input},
    turns as (
      update turns set step = 'b' || number, open_calls = "openCalls", waiting_calls = "waitingCalls",
        status = case when waits then 'requires_action' else 'in_progress' end,
        due_at = case when waits then ${dueAtExpiry} else ${dueIn(timing.graceMs)} end,
        warnings = input.warnings, generation = 0, edition = ${savedEdition}, ${freshStep},
        last_event = last_event + case when waits then 2 else 1 end
      from input where turns.id = "turnId" and status = 'in_progress' and step = 'r' || number and turns.model = input.model
      returning turns.id, project, stored, provider, priority, turns.step, generation, turns.edition, last_event, input.*
    ),
    round as (
      insert into rounds (turn_id, number, model, text, reasoning, refusal_from, edition, finish_reason, finish_reason_raw, usage,
        opaque, requests, attempts, started_at)
      select id, number, model, text, reasoning, "refusalFrom", edition, "finishReason", "finishReasonRaw", usage,
        opaque::json, requests, attempts, to_timestamp("startedAt")
      from turns
    ),
    calls as (${insertCalls(sql`turns`, sql`number`)}),
    event as (
      insert into events (turn_id, number, id, type, round, data)
      select id, last_event - waits::int, "eventIds" ->> 0, 'round.completed', number, null::json from turns
      union all
      select id, last_event, "eventIds" ->> 1, 'turn.requires_action', number, waiting from turns where waits
      returning turn_id, number, type
    ),
    delivery as (${createDeliveries(sql`turns`, sql`webhook`)})
    select ${wakeupColumns}, not waits as "isDue",
      (select json_agg(id) from delivery where turn_id = turns.id) as "deliveryIds"
    from turns`,
);

function rowOf({
  turnId,
  number,
  model,
  reply,
  calls,
  attempts,
  edition = null,
  startedAt,
  warnings,
  webhook,
}: NewRound) {
  const open = calls.filter((call) => !call.result);
  const waiting = open.filter((call) => call.waitsFor !== null);
  const waits = waiting.length === open.length;
  const expiring = waiting.flatMap(({ expiresInSeconds }) => expiresInSeconds ?? []);
  return {
    ...{ turnId, number, model, attempts, startedAt: startedAt / 1000, warnings, calls, webhook },
    text: reply.text,
    reasoning: reply.reasoning ?? null,
    refusalFrom: reply.refusalFrom ?? null,
    ownEdition: edition,
    finishReason: reply.finishReason,
    finishReasonRaw: reply.finishReasonRaw,
    usage: reply.usage,
    opaque: rawJson(reply.opaque),
    requests: reply.requests ?? 1,
    openCalls: open.length,
    waitingCalls: waiting.length,
    waits,
    expiresIn: expiring.length > 0 ? Math.min(...expiring) : null,
    waiting: { outputs: indexesOf(calls, 'output'), approvals: indexesOf(calls, 'approval') },
    eventIds: waits ? [newId('evt'), newId('evt')] : [newId('evt')],
  };
}

/** What `turn.requires_action` keeps: the indexes of the calls that wait, by what for. */
function indexesOf(calls: NewCall[], waitsFor: WaitsFor): number[] {
  return calls.flatMap((call, index) => (call.waitsFor === waitsFor ? [index] : []));
}
