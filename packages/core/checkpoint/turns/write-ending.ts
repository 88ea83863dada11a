import { sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { errorResult } from '../../turn/tool-result.ts';
import type { IncompleteReason, TerminalStatus, TurnError } from '../../turn/turn.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { isActive } from '../sql/active.ts';
import { createDeliveries, responseTypes } from '../sql/deliveries.ts';
import { dueIn } from '../sql/due.ts';
import { savedEdition } from '../sql/edition.ts';
import { askForPlace, dueWithPlace, hasPlace } from '../sql/place.ts';
import { columnsOfRound, insertRound, type LastRound } from '../sql/rounds/insert-round.ts';
import { insertCalls } from '../sql/rounds/new-calls.ts';
import { recordRounds, usedColumn } from '../sql/rounds/record-rounds.ts';
import { standsOn, standsOnColumn } from '../sql/rounds/stands-on.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import { delivers } from '../sql/wakeup.ts';

/**
 * How a turn ends. `run` makes it a negative write (R5). Only the run with the lease may write it, or a run without one
 * while the step is free and of the same generation. So a failure that is written twice does not end a reopened turn.
 */
export type Ending = {
  turnId: string;
  conversationId: string;
  status: TerminalStatus;
  output?: string;
  error?: TurnError;
  incompleteReason?: IncompleteReason;
  step?: string;
  run?: { id: string; generation: number };
  /** Requests to the model that brought no reply, and that no row counts yet. */
  failedRequests?: number;
  warnings?: string[];
  lastRound?: LastRound;
  /** With its answer: it is only written where the last round has sent all that has joined the turn (R30). */
  answers?: boolean;
  /** The caller knows that the turn is no response in the background: whether it is need not be looked at. */
  isTurnOnly?: boolean;
};

/** What an end makes due: deliveries, and the next turn of the conversation. No row: the guard refused. */
export type Ended = { delivers: boolean; next: TurnWakeup | null };

/** An ending as a row of its statement, with an id for each event that may happen. */
export function rowOfEnding({ turnId, conversationId, lastRound, run, ...ending }: Ending, eventIds: string[]) {
  return {
    ...{ turnId, conversationId, eventIds },
    endsAs: ending.status,
    output: ending.output ?? null,
    error: rawJson(ending.error),
    incompleteReason: ending.incompleteReason ?? null,
    warnings: ending.warnings ?? null,
    onlyStep: ending.step ?? null,
    failedRequests: ending.failedRequests ?? 0,
    answers: ending.answers ?? false,
    ...(run && { runId: run.id, runGeneration: run.generation }),
    ...(lastRound && columnsOfRound(lastRound)),
  };
}

const lockedConversation = sql`
    conversation as materialized (
      select id, turns, reopened from conversations where id in (select "conversationId" from input)
      for no key update
    ),`;

/** The conversation is as it was before it was locked, and no other turn is in its line (R35). */
const noOtherWaits = sql`
      join conversation on conversation.id = "conversationId"
        and exists (
          select from conversations as seen where seen.id = conversation.id
            and seen.turns = conversation.turns and seen.reopened = conversation.reopened)
        and not exists (
          select from turns as waiting where waiting.conversation_id = conversation.id
            and waiting.due_at is not null and waiting.position is not null and waiting.id <> "turnId")`;

const insertLastRound = sql`
    round as (${insertRound}
    ),
    recorded as (${recordRounds(sql`target`)}
    ),
    calls as (${insertCalls(sql`target`, sql`"roundNumber"`)}),`;

/** Only a batch has open calls (a CHECK says so), and a last round is none. */
const nothingOpen = sql`select null::text as turn_id, null::int as round, null::int as index where false`;

/** The events of each turn, in order: its last round, the calls that were still open, its end. */
const happened = sql`
      select *, row_number() over (partition by id order by rank, round, call_index) as position from (
        select id, 'round.completed' as type, "roundNumber" as round, null::int as call_index, null::json as data, 1 as rank
        from target where "roundNumber" is not null
        union all select turn_id, 'tool_call.completed', round, index, null::json, 2 from settled
        union all select id, 'turn.' || "endsAs", null, null, case when "endsAs" = 'failed' then
          json_build_object('error', error::json, 'completed_at', now(), 'failed_requests', failed_requests, 'inputs', inputs,
            'rounds', (select count(*) from rounds where turn_id = target.id) + ("roundNumber" is not null)::int) end, 3 from target
      ) as unordered`;

/** A turn that fails with a whole step is at the next round, where a retry goes on (R25). A batch is whole by its end (R12). */
const isStepDone = sql`(step like 'b%' or "roundNumber" is not null)`;

/** The model refused, as `responses/status.ts` has it. */
const isRefused = sql`"incompleteReason" = 'content_filter' and "finishReason" = 'refusal'`;

const columns = sql`"conversationId" text, "endsAs" text, output text, error text, "incompleteReason" text, warnings json,
  "onlyStep" text, "runId" text, "runGeneration" int, "roundNumber" int, model text, text text, calls json, reasoning text,
  "refusalFrom" int, "serviceTier" text, violations json, "ownEdition" int, "finishReason" text, "finishReasonRaw" text, usage json, ${usedColumn},
  opaque text, requests int, attempts int, sent int, "startedAt" double precision, "failedRequests" int, "eventIds" json, answers boolean,
  ${standsOnColumn}`;

type EndingKind = { hasRound: boolean; isOnly?: boolean; isTurnOnly?: boolean };

/**
 * One statement with everything that hangs on an end (R12, R16, R17, R18, R24, R27, R30, R33). `hasRound`: with a last round; `isOnly`: only
 * where no other turn of the conversation waits; `isTurnOnly`: of turns that are no responses in the background.
 */
function ending({ hasRound, isOnly = false, isTurnOnly = false }: EndingKind) {
  return writeFor<Ended>(
    columns,
    (input) => sql`
    with ${input},
    ${isOnly ? lockedConversation : sql``}
    target as materialized (
      select turns.id, project, key_id, last_event, inputs, failed_requests + "failedRequests" as failed_requests,
        ${savedEdition} as edition, input.*
      from input join turns on turns.id = "turnId" ${isOnly ? noOtherWaits : sql``}
      where ${isActive} and ("onlyStep" is null or step = "onlyStep")
        and ("roundNumber" is null or turns.model = input.model) and (not answers or inputs = sent)
        and ${standsOn(sql`"roundNumber"`)}
        and ("runId" is null or lease_owner = "runId" or (generation = "runGeneration" and (lease_owner is null or lease_until < now())))
      for no key update of turns
    ),
    ${hasRound ? insertLastRound : sql``}
    settled as (${hasRound ? nothingOpen : settleCalls}),
    happened as materialized (${happened}),
    ended as (
      update turns set status = "endsAs", output = target.output, error = target.error::json,
        incomplete_reason = "incompleteReason", warnings = coalesce(target.warnings, turns.warnings),
        failed_requests = target.failed_requests,
        completed_at = now(), due_at = null, place = null, lease_owner = null, lease_until = null, at_head = false, open_calls = 0,
        waiting_calls = 0,
        step = case when "endsAs" = 'failed' and ${isStepDone} then 'r' || (substr(step, 2)::int + 1) else step end,
        edition = case when "endsAs" <> 'failed' then turns.edition when ${isStepDone} then 1 else turns.edition + 1 end,
        last_event = turns.last_event + (select count(*) from happened where happened.id = target.id)
      from target where turns.id = target.id
      returning turns.id, turns.project, stored, conversation_id, config -> 'webhook' as webhook, "eventIds"
        ${isTurnOnly ? sql`` : sql`, config, ${isRefused} as refused`}
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event + position, ended."eventIds" ->> (position - 1)::int, type, round, call_index, data
      from ended join target using (id) join happened using (id)
      returning turn_id, number, id, type
    ),
    delivery as (${createDeliveries(sql`ended`, sql`webhook`, isTurnOnly ? undefined : responseTypes)}),
    promoted as (${isOnly ? sql`select null::json as wakeup` : promoteNext})
    select id as "turnId", ${delivers('ended')},
      (select wakeup from promoted) as next
    from ended`,
  );
}

/** Ends turns with a last round, where no other turn of their conversations waits. */
export const writeEndingAlone = ending({ hasRound: true, isOnly: true });

/** The same, cheaper, of turns that are no responses in the background. */
export const writeTurnEndingAlone = ending({ hasRound: true, isOnly: true, isTurnOnly: true });

/** Ends turns with a last round; the caller has locked their conversations. */
export const writeEndingAfterRound = ending({ hasRound: true });

/** Ends turns as they are; the caller has locked their conversations. */
export const writeEndingWithoutRound = ending({ hasRound: false });

const cancelled = errorResult({
  category: 'cancelled',
  message: 'The turn ended before this call was answered. It may have been under way.',
  details: {},
});

const unknown = errorResult(
  {
    category: 'outcome_unknown',
    message: 'The turn ended while this call was running; whether it took effect is not known.',
    details: {},
  },
  { attempts: 1 },
);

/** Answers a turn's open calls in the transaction that ends it: one already claimed may have taken effect. */
const settleCalls = sql`
  update tool_calls set result = case when claimed_by is null then ${cancelled}::json else ${unknown}::json end,
    completed_at = now()
  from target where turn_id = target.id and result is null
  returning turn_id, round, index`;

/**
 * The turn that has waited longest behind an ended one comes to the head and is due. `from ended` takes the old head
 * away first. The conversation's lock and a unique index keep a conversation from ever having two heads (R17). A delayed
 * turn stays where it is (R35).
 */
const promoteNext = sql`
  update turns set at_head = true, due_at = ${dueWithPlace(dueIn(timing.graceMs))}, ${askForPlace}, waiting_since = now() from ended
  where turns.id = (
      select waiting.id from turns as waiting
      where waiting.conversation_id = ended.conversation_id and waiting.due_at is not null and waiting.position is not null
        and not waiting.at_head and waiting.id <> ended.id
      order by waiting.position limit 1)
    and not exists (
      select from turns as head
      where head.conversation_id = ended.conversation_id and head.at_head and head.id <> ended.id)
  returning case when ${hasPlace} then json_build_object('kind', 'turn', 'turnId', turns.id, 'step', turns.step, 'generation', turns.generation,
    'provider', turns.provider, 'priority', turns.priority) end as wakeup`;
