import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../../turn/timing.ts';
import { errorResult } from '../../../turn/tool-result.ts';
import type { IncompleteReason, TerminalStatus, TurnError } from '../../../turn/turn.ts';
import type { TurnWakeup } from '../../../turn/wakeup.ts';
import { createDeliveries, nothingSubscribes, responseTypes } from '../../sql/deliveries.ts';
import { dueIn } from '../../sql/due.ts';
import { savedEdition } from '../../sql/edition.ts';
import { mayGiveUp } from '../../sql/lease.ts';
import { askForPlace, dueWithPlace, hasPlace } from '../../sql/place.ts';
import { columnsOfRound, insertRound, type LastRound } from '../../sql/rounds/insert-round.ts';
import { insertCalls } from '../../sql/rounds/new-calls.ts';
import { recordRounds, usedColumn } from '../../sql/rounds/record-rounds.ts';
import { standsOn, standsOnColumn } from '../../sql/rounds/stands-on.ts';
import { rawJson, writeFor } from '../../sql/statement.ts';
import { delivers } from '../../sql/wakeup.ts';

/**
 * The end of a turn. `run` makes it a negative write (R5). Only the run with the lease may write it, or a run without one
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
  /** True if the turn has a webhook, or an endpoint of its project may want its events (R16). False: the run saw none. */
  hasSubscribers?: boolean;
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

/**
 * The guard of an end: the turn is active, with the step and the model that the caller means. An answer was asked for with
 * all joined inputs, and the last stored round is the one that its model was sent (R5, R12, R24, R30).
 */
const mayEnd = sql`work.id = "turnId" and ("onlyStep" is null or work.step = "onlyStep")
        and ("roundNumber" is null or work.model = input.model) and (not answers or work.inputs = sent)
        and ${standsOn(sql`"roundNumber"`)} and ("runId" is null or ${mayGiveUp(sql`"runGeneration"`)})`;

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
          select from work as waiting where waiting.conversation_id = conversation.id
            and waiting.position is not null and waiting.id <> "turnId")`;

const insertLastRound = sql`
    round as (${insertRound}
    ),
    recorded as (${recordRounds(sql`target`)}
    ),`;

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

/**
 * A turn that fails with a whole step is at the next round, from which a retry continues (R25). A batch is whole by its
 * end (R12).
 */
const isStepDone = sql`(target.step like 'b%' or "roundNumber" is not null)`;

/** The model refused, as `responses/status.ts` has it. */
const isRefused = sql`"incompleteReason" = 'content_filter' and "finishReason" = 'refusal'`;

const columns = sql`"conversationId" text, "endsAs" text, output text, error text, "incompleteReason" text, warnings json,
  "onlyStep" text, "runId" text, "runGeneration" int, "roundNumber" int, model text, text text, calls json, reasoning text,
  "refusalFrom" int, "serviceTier" text, violations json, "ownEdition" int, "finishReason" text, "finishReasonRaw" text, usage json, ${usedColumn},
  opaque text, requests int, attempts int, sent int, "startedAt" double precision, "failedRequests" int, "eventIds" json, answers boolean,
  ${standsOnColumn}`;

/** The row of work that ends, as its turn keeps it. */
const endingWork = sql`work.id, work.project, work.key_id, work.step, work.generation, work.edition as next_edition, work.model as last_model,
        work.started_at, work.last_event, work.inputs, work.begun_with, work.compacted_before, work.warnings as own_warnings,
        work.failed_requests + "failedRequests" as failed_requests, ${savedEdition} as edition, input.*`;

/** The turn keeps its outcome, and the state of its work from which a retry continues. */
const keepOutcome = (events: RawBuilder<unknown>) => sql`
      update turns set status = "endsAs", output = target.output, error = target.error::json, incomplete_reason = "incompleteReason",
        completed_at = now(), warnings = coalesce(target.warnings, own_warnings), failed_requests = target.failed_requests,
        step = case when "endsAs" = 'failed' and ${isStepDone} then 'r' || (substr(target.step, 2)::int + 1) else target.step end,
        edition = case when "endsAs" <> 'failed' then next_edition when ${isStepDone} then 1 else next_edition + 1 end,
        generation = target.generation, model = last_model, started_at = target.started_at, inputs = target.inputs,
        begun_with = target.begun_with, compacted_before = target.compacted_before, last_event = target.last_event + ${events}
      from target where turns.id = target.id`;

type EndingKind = { hasRound: boolean; isOnly?: boolean };

/**
 * One statement with everything that belongs to an end (R12, R16, R17, R18, R24, R27, R30, R33). `hasRound`: with a last
 * round; `isOnly`: only if no other turn of the conversation waits. The row of work is deleted, and with it the lease, the
 * place and the head.
 */
function ending({ hasRound, isOnly = false }: EndingKind) {
  return writeFor<Ended>(
    columns,
    (input) => sql`
    with ${input},
    ${isOnly ? lockedConversation : sql``}
    target as materialized (
      select ${endingWork} from input ${isOnly ? noOtherWaits : sql``} join work on ${mayEnd} for no key update of work
    ),
    gone as (delete from work using target where work.id = target.id returning work.id),
    ${hasRound ? sql`${insertLastRound} calls as (${insertCalls(sql`target`, sql`"roundNumber"`)}),` : sql``}
    settled as (${hasRound ? nothingOpen : settleCalls}),
    happened as materialized (${happened}),
    ended as (
      ${keepOutcome(sql`(select count(*) from happened where happened.id = target.id)`)}
      returning turns.id, turns.project, stored, conversation_id, config, config -> 'webhook' as webhook, "eventIds", ${isRefused} as refused
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event + position, ended."eventIds" ->> (position - 1)::int, type, round, call_index, data
      from ended join target using (id) join happened using (id)
      returning turn_id, number, id, type
    ),
    delivery as (${createDeliveries(sql`ended`, sql`webhook`, responseTypes)}),
    promoted as (${isOnly ? sql`select null::json as wakeup` : promoteNext})
    select id as "turnId", ${delivers('ended')},
      (select wakeup from promoted) as next
    from ended`,
  );
}

/** Ends turns with a last round, where no other turn of their conversations waits. */
export const writeEndingAlone = ending({ hasRound: true, isOnly: true });

/** Ends turns with a last round; the caller has locked their conversations. */
export const writeEndingAfterRound = ending({ hasRound: true });

/** Ends turns as they are; the caller has locked their conversations. */
export const writeEndingWithoutRound = ending({ hasRound: false });

/**
 * The lean form of `writeEndingAlone`, with the same guard. It is for answers without calls and errors, of turns without a
 * webhook. If an endpoint of the project is enabled, it writes nothing and returns no row (R16).
 */
export const writeEndingLean = writeFor<Ended>(
  columns,
  (input) => sql`
    with ${input},
    ${lockedConversation}
    target as materialized (
      select ${endingWork} from input ${noOtherWaits} join work on ${mayEnd} and ${nothingSubscribes} for no key update of work
    ),
    gone as (delete from work using target where work.id = target.id),
    ${insertLastRound}
    ended as (${keepOutcome(sql`2`)}),
    event as (
      insert into events (turn_id, number, id, type, round)
      select id, last_event + 1, "eventIds" ->> 0, 'round.completed', "roundNumber" from target
      union all
      select id, last_event + 2, "eventIds" ->> 1, 'turn.' || "endsAs", null from target
    )
    select id as "turnId", false as delivers, null::json as next from target`,
);

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
 * The turn that has waited longest after an ended turn comes to the head and is due. The row of the ended turn is `gone`
 * first. The conversation's lock and a unique index keep a conversation from ever having two heads (R17). A delayed turn
 * stays as it is (R35).
 */
const promoteNext = sql`
  update work set at_head = true, due_at = ${dueWithPlace(dueIn(timing.graceMs))}, ${askForPlace}, waiting_since = now()
  from ended join gone using (id)
  where work.id = (
      select waiting.id from work as waiting
      where waiting.conversation_id = ended.conversation_id and waiting.position is not null
        and not waiting.at_head and waiting.id <> ended.id
      order by waiting.position limit 1)
    and not exists (
      select from work as head
      where head.conversation_id = ended.conversation_id and head.at_head and head.id <> ended.id)
  returning case when ${hasPlace} then json_build_object('kind', 'turn', 'turnId', work.id, 'step', work.step, 'generation', work.generation,
    'provider', work.provider, 'priority', work.priority) end as wakeup`;
