import { sql } from 'kysely';
import { newId } from '../../id.ts';
import type { Violation } from '../../turn/output/violation.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Subscription } from '../../turn/request/webhook.ts';
import { timing } from '../../turn/timing.ts';
import type { WaitsFor } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import { createDeliveries } from '../sql/deliveries.ts';
import { dueIn } from '../sql/due.ts';
import { savedEdition } from '../sql/edition.ts';
import { freshStep } from '../sql/fresh-step.ts';
import { askForPlace, dueWithPlace, hasPlace } from '../sql/place.ts';
import { columnsOfRound, insertRound, type LastRound } from '../sql/rounds/insert-round.ts';
import { insertCalls, type NewCall } from '../sql/rounds/new-calls.ts';
import { recordRounds, usedBy, usedColumn } from '../sql/rounds/record-rounds.ts';
import { standsOn, standsOnColumn } from '../sql/rounds/stands-on.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import { type DueRow, delivers, dueWakeups, wakeupColumns } from '../sql/wakeup.ts';
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
  /** How many of the inputs that have joined the turn its run had loaded, and so has sent (R29). None where it is not given. */
  sent?: number;
  /** That of the run; null where it has no lease. */
  edition?: number | null;
  startedAt: number;
  /** `standsOnOf` the rounds that the model was sent; where it is not given, any may be there. */
  standsOn?: number | null;
  /** All of the turn's warnings so far. */
  warnings: string[];
  /** The turn's own subscription: the caller has it, so the statement need not read the configuration. */
  webhook: Subscription | null;
};

/**
 * Records a reply with its calls in one statement; one of them at least is open. Its batch is due, or, where every open
 * call waits for an answer from outside, the turn waits. The first write wins: the step is the guard, so a redelivered job
 * or a zombie cannot rewrite history (R5, R18), nor the late reply of a model that the turn has left (R24). What it used is recorded
 * with it (R33). Null when nothing was written.
 */
export async function saveRound(db: Db, round: NewRound): Promise<Saved | null> {
  const [row] = await write(db, rowOfRound(round));
  return row ? savedBy(row) : null;
}

/** What a commit made due, and how many inputs had joined the turn by then: more than its run has loaded are sent next (R29). */
export type Saved = { wakeups: Wakeup[]; inputs: number };

export type SavedRow = DueRow & { inputs: number };

/** What the row that a commit of a round returns says. */
export function savedBy(row: SavedRow): Saved {
  return { wakeups: dueWakeups(row), inputs: row.inputs };
}

/** A turn that waits is due when the first of its calls expires, or at its deadline. */
export const dueAtExpiry = sql`least(now() + make_interval(secs => "expiresIn"), coalesce(deadline_at, 'infinity'))`;

const write = writeFor<SavedRow>(
  sql`number int, model text, text text, reasoning text, "refusalFrom" int, "serviceTier" text, "ownEdition" int, "finishReason" text,
  "finishReasonRaw" text, usage json, ${usedColumn}, opaque text, requests int, attempts int, sent int, "startedAt" double precision, warnings json,
  calls json, "openCalls" int, "waitingCalls" int, waits boolean, "expiresIn" double precision, waiting json, webhook json, "eventIds" json,
  ${standsOnColumn}`,
  (input) => sql`
    with ${input},
    turns as (
      update turns set step = 'b' || number, open_calls = "openCalls", waiting_calls = "waitingCalls",
        status = case when waits then 'requires_action' else 'in_progress' end,
        due_at = case when waits then ${dueAtExpiry} else ${dueWithPlace(dueIn(timing.graceMs))} end,
        place = case when turns.place is null or turns.place = 'held' and not waits then turns.place when waits then 'none' else 'wanted' end,
        warnings = input.warnings, generation = 0, edition = ${savedEdition}, ${freshStep},
        last_event = last_event + case when waits then 2 else 1 end
      from input where turns.id = "turnId" and status = 'in_progress' and step = 'r' || number and turns.model = input.model
        and ${standsOn(sql`input.number`)}
      returning turns.id, project, key_id, stored, provider, priority, turns.step, generation, turns.edition, last_event, turns.place, inputs, input.*
    ),
    round as (
      insert into rounds (turn_id, number, model, text, reasoning, refusal_from, service_tier, edition, finish_reason, finish_reason_raw, usage,
        opaque, requests, attempts, sent, started_at)
      select id, number, model, text, reasoning, "refusalFrom", "serviceTier", edition, "finishReason", "finishReasonRaw", usage,
        opaque::json, requests, attempts, sent, to_timestamp("startedAt")
      from turns
    ),
    recorded as (${recordRounds(sql`turns`)}
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
    select ${wakeupColumns}, inputs, not waits and ${hasPlace} as "isDue",
      ${delivers('turns')}
    from turns`,
);

/** The columns of a reply that is about to be committed. */
export function rowOfRound({
  turnId,
  number,
  model,
  reply,
  calls,
  attempts,
  sent = 0,
  edition = null,
  startedAt,
  standsOn = null,
  warnings,
  webhook,
}: NewRound) {
  const open = calls.filter((call) => !call.result);
  const waiting = open.filter((call) => call.waitsFor !== null);
  const waits = waiting.length === open.length;
  const expiring = waiting.flatMap(({ expiresInSeconds }) => expiresInSeconds ?? []);
  return {
    ...{ turnId, number, model, attempts, sent, startedAt: startedAt / 1000, standsOn, warnings, calls, webhook },
    text: reply.text,
    reasoning: reply.reasoning ?? null,
    refusalFrom: reply.refusalFrom ?? null,
    serviceTier: reply.serviceTier ?? null,
    ownEdition: edition,
    finishReason: reply.finishReason,
    finishReasonRaw: reply.finishReasonRaw,
    usage: reply.usage,
    used: usedBy(reply.usage, calls.length),
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

/** An answer that does not end its turn, about to be committed. `warnings` are all of the turn so far. */
type MiddleAnswer = Omit<LastRound, 'calls'> & {
  turnId: string;
  warnings: string[];
  webhook: Subscription | null;
};

/**
 * Records an answer that breaks the output schema, in one statement: the repair round is due at once, without a batch in
 * between (R25). The first write wins (R5, R18, R24). Null when nothing was written.
 */
export async function saveUnfitAnswer(
  db: Db,
  answer: MiddleAnswer & { violations: Violation[] },
): Promise<Saved | null> {
  return await saveAnswerInMiddle(db, answer);
}

/**
 * Records an answer as a round in the middle of its turn, in the same way, because an input has joined that no round has sent:
 * the next round is due, and is sent with it (R30). Null when nothing was written, or nothing had joined.
 */
export async function saveSurpassedAnswer(db: Db, answer: MiddleAnswer): Promise<Saved | null> {
  return await saveAnswerInMiddle(db, answer);
}

/** Awaited by its callers: the points of the crash matrix have their names from the stack. */
async function saveAnswerInMiddle(
  db: Db,
  { turnId, warnings, webhook, ...round }: MiddleAnswer,
): Promise<Saved | null> {
  const { roundNumber: number, ...columns } = columnsOfRound(round);
  const row = { turnId, number, warnings, webhook, ...columns, text: round.reply.text, eventIds: [newId('evt')] };
  const [saved] = await writeMiddle(db, row);
  return saved ? savedBy(saved) : null;
}

const writeMiddle = writeFor<SavedRow>(
  sql`number int, model text, text text, reasoning text, "refusalFrom" int, "serviceTier" text, violations json, "ownEdition" int,
  "finishReason" text, "finishReasonRaw" text, usage json, ${usedColumn}, opaque text, requests int, attempts int, sent int, "startedAt" double precision,
  warnings json, webhook json, "eventIds" json, ${standsOnColumn}`,
  (input) => sql`
    with ${input},
    target as materialized (
      select turns.id, project, key_id, number as "roundNumber", ${savedEdition} as edition, input.*
      from input join turns on turns.id = "turnId"
      where status = 'in_progress' and step = 'r' || number and turns.model = input.model
        and (violations is not null or turns.inputs > sent) and ${standsOn(sql`input.number`)}
      for no key update of turns
    ),
    moved as (
      update turns set step = 'r' || (number + 1), due_at = ${dueWithPlace(dueIn(timing.graceMs))}, ${askForPlace}, warnings = target.warnings,
        generation = 0, edition = 0, ${freshStep}, last_event = last_event + 1
      from target where turns.id = target.id
      returning turns.id, turns.project, stored, provider, priority, turns.step, generation, last_event, turns.place, inputs, number, webhook, "eventIds"
    ),
    round as (${insertRound}),
    recorded as (${recordRounds(sql`target`)}
    ),
    event as (
      insert into events (turn_id, number, id, type, round)
      select id, last_event, "eventIds" ->> 0, 'round.completed', number from moved
      returning turn_id, number, type
    ),
    delivery as (${createDeliveries(sql`moved`, sql`webhook`)})
    select ${wakeupColumns}, inputs, ${hasPlace} as "isDue", ${delivers('turns')}
    from moved as turns`,
);
