import { type RawBuilder, sql } from 'kysely';
import { createDeliveries, nothingSubscribes, responseTypes } from '../../sql/deliveries.ts';
import { savedDraft } from '../../sql/draft.ts';
import { mayGiveUp } from '../../sql/lease.ts';
import { basedOn } from '../../sql/rounds/based-on.ts';
import { insertRound } from '../../sql/rounds/insert-round.ts';
import { insertCalls } from '../../sql/rounds/new-calls.ts';
import { recordRounds } from '../../sql/rounds/record-rounds.ts';
import { writeFor } from '../../sql/statement.ts';
import { delivers } from '../../sql/wakeup.ts';
import { promoteNext } from './promote-next.ts';
import { type Ended, endingColumns } from './row-of-ending.ts';
import { noCalls, settleCalls } from './settle-calls.ts';

/**
 * The guard of an end:
 * - The turn is active, with the step and the model that the caller expects.
 * - The request of an answer contained all joined inputs.
 * - The last stored round is the last round that the model received (R5, R12, R24, R30).
 */
const mayEnd = sql`work.id = "turnId" and ("onlyStep" is null or work.step = "onlyStep")
        and ("roundNumber" is null or work.model = input.model) and (not answers or work.inputs = "inputsSent")
        and ${basedOn(sql`"roundNumber"`)} and ("runId" is null or ${mayGiveUp(sql`"runGeneration"`)})`;

const lockedConversation = sql`
    conversation as materialized (
      select id, turns, reopened from conversations where id in (select "conversationId" from input)
      for no key update
    ),`;

/**
 * The condition that the conversation did not change before it was locked, and that no other turn has a position in
 * it (R35).
 */
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

/** The events of each turn, in order: its last round, the calls that were still open, and its end. */
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
 * The condition that a turn fails with a complete step: a retry then continues with the next round (R25). A batch is
 * complete by its end (R12).
 */
const isStepDone = sql`(target.step like 'b%' or "roundNumber" is not null)`;

/** The condition that the model refused, as in `responses/status.ts`. */
const isRefused = sql`"incompleteReason" = 'content_filter' and "finishReason" = 'refusal'`;

/** The row of work that ends, in the columns that its turn stores. */
const endingWork = sql`work.id, work.project, work.key_id, work.agent, work.step, work.generation, work.draft as next_draft, work.model as last_model,
        work.started_at, work.last_event, work.inputs, work.inputs_at_start, work.compacted_before, work.warnings as own_warnings,
        work.failed_requests + "failedRequests" as failed_requests, ${savedDraft} as draft, input.*`;

/** Stores the outcome of a turn, and the state of its work from which a retry continues. */
const keepOutcome = (events: RawBuilder<unknown>) => sql`
      update turns set status = "endsAs", output = target.output, error = target.error::json, incomplete_reason = "incompleteReason",
        completed_at = now(), warnings = coalesce(target.warnings, own_warnings), failed_requests = target.failed_requests,
        step = case when "endsAs" = 'failed' and ${isStepDone} then 'r' || (substr(target.step, 2)::int + 1) else target.step end,
        draft = case when "endsAs" <> 'failed' then next_draft when ${isStepDone} then 1 else next_draft + 1 end,
        generation = target.generation, model = last_model, started_at = target.started_at, inputs = target.inputs,
        inputs_at_start = target.inputs_at_start, compacted_before = target.compacted_before, last_event = target.last_event + ${events}
      from target where turns.id = target.id`;

type EndingKind = { hasRound: boolean; isOnly?: boolean };

/**
 * Creates the statement of an end with all its effects (R12, R16, R17, R18, R24, R27, R30, R33). `hasRound` adds a
 * last round. `isOnly` requires that no other turn of the conversation waits. The row of work is deleted, and with it
 * the lease, the slot and the head.
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

/** Ends turns with a last round, if no other turn of their conversations waits. */
export const writeEndingAlone = ending({ hasRound: true, isOnly: true });

/** Ends turns with a last round. The caller has locked their conversations. */
export const writeEndingAfterRound = ending({ hasRound: true });

/** Ends turns without a round. The caller has locked their conversations. */
export const writeEndingWithoutRound = ending({ hasRound: false });

/**
 * The lean form of `writeEndingAlone`, with the same guard. It is for answers without calls and errors, of turns
 * without a webhook. If an endpoint of the project is enabled, it writes and returns no row (R16).
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
