import { type RawBuilder, sql } from 'kysely';
import { createDeliveries, nothingSubscribes, responseTypes } from '../../sql/deliveries.ts';
import { savedEdition } from '../../sql/edition.ts';
import { mayGiveUp } from '../../sql/lease.ts';
import { insertRound } from '../../sql/rounds/insert-round.ts';
import { insertCalls } from '../../sql/rounds/new-calls.ts';
import { recordRounds } from '../../sql/rounds/record-rounds.ts';
import { standsOn } from '../../sql/rounds/stands-on.ts';
import { writeFor } from '../../sql/statement.ts';
import { delivers } from '../../sql/wakeup.ts';
import { promoteNext } from './promote-next.ts';
import { type Ended, endingColumns } from './row-of-ending.ts';
import { noCalls, settleCalls } from './settle-calls.ts';

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
    endingColumns,
    (input) => sql`
    with ${input},
    ${isOnly ? lockedConversation : sql``}
    target as materialized (
      select ${endingWork} from input ${isOnly ? noOtherWaits : sql``} join work on ${mayEnd} for no key update of work
    ),
    gone as (delete from work using target where work.id = target.id returning work.id),
    ${hasRound ? sql`${insertLastRound} calls as (${insertCalls(sql`target`, sql`"roundNumber"`)}),` : sql``}
    settled as (${hasRound ? noCalls : settleCalls}),
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
  endingColumns,
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
