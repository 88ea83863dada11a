import { sql } from 'kysely';
import { createDeliveries, nothingSubscribes } from '../../sql/deliveries.ts';
import { savedDraft } from '../../sql/draft.ts';
import { draftNext, dueNext, freshOrContinued, nextRunColumn } from '../../sql/fresh-step.ts';
import { basedOn, basedOnColumn } from '../../sql/rounds/based-on.ts';
import { insertRound } from '../../sql/rounds/insert-round.ts';
import { insertCalls, insertRunningCalls } from '../../sql/rounds/new-calls.ts';
import { recordRounds, usedColumn } from '../../sql/rounds/record-rounds.ts';
import { hasSlot } from '../../sql/slot.ts';
import { writeFor } from '../../sql/statement.ts';
import { type DueRow, delivers, nextRun, wakeupColumns } from '../../sql/wakeup.ts';

// One of two statements with one guard commits a reply that does not end its turn. The full statement is for each
// reply. The lean statement is for replies with calls that all run at once, of turns without a webhook, in projects
// without an enabled endpoint.

export type SavedRow = DueRow & { inputs: number };

/**
 * The guard of a reply: the turn still needs the round, from the model that wrote the reply, after the round that the
 * model was sent. So the first write wins: neither a redelivered job nor a zombie rewrites history (R5, R18, R24).
 */
const isAtRound = sql`work.id = "turnId" and work.status = 'in_progress' and work.step = 'r' || "roundNumber"
        and work.model = input.model and ${basedOn(sql`input."roundNumber"`)}`;

const columns = sql`"roundNumber" int, model text, text text, reasoning text, "refusalFrom" int, hosted json, "serviceTier" text, violations json,
  "ownDraft" int, "finishReason" text, "finishReasonRaw" text, usage json, ${usedColumn}, opaque text, requests int, attempts int,
  "inputsSent" int, "startedAt" double precision, warnings json, calls json, "openCalls" int, ${basedOnColumn}, ${nextRunColumn}`;

/**
 * The draft number of the saved round, from the row of `work` after its update. If the update gave the lease to the
 * run that continues, it has counted the number of that run as well (`draftNext`).
 */
const draftOfRound = sql`work.draft - (work.lease_owner is not null)::int`;

/** The due time of a waiting turn: the expiry of its first call, or its deadline. */
const dueAtExpiry = sql`least(now() + make_interval(secs => "expiresIn"), coalesce(work.deadline_at, 'infinity'))`;

/**
 * Commits a reply with calls that all run at once: its batch is due. If an endpoint of the project is enabled, writes
 * and returns no row (R16).
 */
export const writeReplyLean = writeFor<SavedRow>(
  sql`${columns}, "eventId" text`,
  (input) => sql`
    with ${input},
    target as (
      update work set step = 'b' || "roundNumber", open_calls = "openCalls", due_at = ${dueNext},
        slot = case when work.slot is null then null when work.slot = 'held' then 'held' else 'wanted' end,
        warnings = input.warnings, generation = 0, draft = ${draftNext(savedDraft)}, ${freshOrContinued},
        last_event = work.last_event + 1
      from input where ${isAtRound} and ${nothingSubscribes}
      returning work.id, work.project, work.key_id, work.agent, work.provider, work.priority, work.step, work.generation, ${draftOfRound} as draft,
        work.last_event, work.slot, work.inputs, work.lease_owner, input.*
    ),
    round as (${insertRound}),
    recorded as (${recordRounds(sql`target`)}
    ),
    calls as (${insertRunningCalls(sql`target`, sql`"roundNumber"`)}),
    event as (
      insert into events (turn_id, number, id, type, round)
      select id, last_event, "eventId", 'round.completed', "roundNumber" from target
    )
    select ${wakeupColumns}, ${nextRun}, inputs, ${hasSlot} as "isDue", false as delivers from target as work`,
);

/**
 * Commits a reply and moves its turn to the batch of its open calls, or to the next round if no call is open. If each
 * open call waits for a client or a person, the turn waits. With `onlySuperseded`, commits only if an input has
 * joined that no round has sent (R30).
 */
export const writeReply = writeFor<SavedRow>(
  sql`${columns}, "waitingCalls" int, waits boolean, "expiresIn" double precision, waiting json, answered json, "onlySuperseded" boolean,
  webhook json, "eventIds" json`,
  (input) => sql`
    with ${input},
    target as materialized (
      select work.id, work.project, work.key_id, work.agent, ${savedDraft} as draft, "openCalls" = 0 as is_complete, input.*
      from input join work on ${isAtRound} and (not "onlySuperseded" or work.inputs > "inputsSent")
      for no key update of work
    ),
    moved as (
      update work set step = case when is_complete then 'r' || ("roundNumber" + 1) else 'b' || "roundNumber" end,
        open_calls = "openCalls", waiting_calls = "waitingCalls",
        status = case when waits then 'requires_action' else 'in_progress' end,
        due_at = case when waits then ${dueAtExpiry} else ${dueNext} end,
        slot = case when work.slot is null or work.slot = 'held' and not waits then work.slot when waits then 'none' else 'wanted' end,
        warnings = target.warnings, generation = 0, draft = ${draftNext(sql`case when is_complete then 0 else target.draft end`)}, ${freshOrContinued},
        last_event = work.last_event + json_array_length("eventIds")
      from target where work.id = target.id
      returning work.id, work.project, work.stored, work.provider, work.priority, work.step, work.generation, work.last_event, work.slot,
        work.inputs, work.lease_owner, "roundNumber", webhook, waits, waiting, answered, "eventIds"
    ),
    round as (${insertRound}),
    recorded as (${recordRounds(sql`target`)}
    ),
    calls as (${insertCalls(sql`target`, sql`"roundNumber"`)}),
    happened as (
      select id, 1 as nth, 'round.completed' as type, null::int as call_index, null::json as data from moved
      union all
      select id, 1 + call.nth::int, 'tool_call.completed', call.index::int, null
      from moved, json_array_elements_text(answered) with ordinality as call (index, nth)
      union all
      select id, json_array_length("eventIds"), 'turn.requires_action', null, waiting from moved where waits
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event - json_array_length("eventIds") + nth, "eventIds" ->> (nth - 1), type, "roundNumber", call_index, data
      from moved join happened using (id)
      returning turn_id, number, type
    ),
    delivery as (${createDeliveries(sql`moved`, sql`webhook`)})
    select ${wakeupColumns}, ${nextRun}, inputs, not waits and ${hasSlot} as "isDue", ${delivers('work')}
    from moved as work`,
);
