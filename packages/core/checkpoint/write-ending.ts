import { sql } from 'kysely';
import type { Reply } from '../turn/reply.ts';
import type { TurnRing } from '../turn/ring.ts';
import type { IncompleteReason, TerminalStatus, TurnError } from '../turn/turn.ts';
import { isActive } from './active.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { promoteNext } from './promote-next.ts';
import { asItIs, statementFor } from './row-set.ts';
import { settleCalls } from './settle-calls.ts';

/**
 * How a turn ends. `run` makes it a negative write: only by the run that has the step, or where nobody does, and only as
 * long as the step was not rung again: a failure that is written once more does not end what was reopened since (R5).
 */
export type Ending = {
  turnId: string;
  conversationId: string;
  status: TerminalStatus;
  output?: string;
  error?: TurnError;
  incompleteReason?: IncompleteReason;
  step?: string;
  run?: { id: string; ring: number };
  /** Requests to the model that brought no reply and are not counted yet. */
  failedRequests?: number;
  warnings?: string[];
  lastRound?: LastRound;
};

/** The reply that is the answer. Its text is the turn's output and is not held twice. */
export type LastRound = { number: number; reply: Reply; attempts: number; startedAt: number };

/** What came of an end: the deliveries it owes, and the turn of the conversation that is owed next. No row: the guard refused. */
export type Ended = { deliveryIds: string[] | null; next: TurnRing | null };

/** An ending as its statement is asked for it, with an id for each event that may happen. */
export function rowOfEnding({ turnId, conversationId, lastRound, run, ...ending }: Ending, eventIds: string[]) {
  return {
    ...{ turnId, conversationId, eventIds },
    endsAs: ending.status,
    output: ending.output ?? null,
    error: asItIs(ending.error),
    incompleteReason: ending.incompleteReason ?? null,
    warnings: ending.warnings ?? null,
    onlyStep: ending.step ?? null,
    failedRequests: ending.failedRequests ?? 0,
    ...(run && { runId: run.id, runRing: run.ring }),
    ...(lastRound && roundOf(lastRound)),
  };
}

function roundOf({ number, reply, attempts, startedAt }: LastRound) {
  const { finishReason, finishReasonRaw, usage, opaque, requests = 1 } = reply;
  const told = { finishReason, finishReasonRaw, usage, opaque: asItIs(opaque), requests };
  return { roundNumber: number, ...told, attempts, startedAt: startedAt / 1000 };
}

const lockedConversation = sql`
    conversation as materialized (
      select id, turns, reopened from conversations where id in (select "conversationId" from asked)
      for no key update
    ),`;

/** What was seen of the conversation before it was locked still holds, and shows no other turn that has not ended. */
const nobodyWaits = sql`
      join conversation on conversation.id = "conversationId"
        and exists (
          select from conversations as seen where seen.id = conversation.id
            and seen.turns = conversation.turns and seen.reopened = conversation.reopened)
        and not exists (
          select from turns as waiting where waiting.conversation_id = conversation.id
            and waiting.due_at is not null and waiting.id <> "turnId")`;

const insertRound = sql`
    round as (
      insert into rounds (turn_id, number, finish_reason, finish_reason_raw, usage, opaque, requests, attempts, started_at)
      select id, "roundNumber", "finishReason", "finishReasonRaw", usage, opaque::json, requests, attempts, to_timestamp("startedAt")
      from target
    ),`;

/** Calls are open in a batch only (a CHECK says so), and a last round is none. */
const nothingOpen = sql`select null::text as turn_id, null::int as round, null::int as index where false`;

/** What happened to each turn, in order: its last round, the calls that were still open, its end. */
const happened = sql`
      select *, row_number() over (partition by id order by rank, round, call_index) as place from (
        select id, 'round.completed' as type, "roundNumber" as round, null::int as call_index, null::json as data, 1 as rank
        from target where "roundNumber" is not null
        union all select turn_id, 'tool_call.completed', round, index, null::json, 2 from settled
        union all select id, 'turn.' || "endsAs", null, null, case when "endsAs" = 'failed' then
          json_build_object('error', error::json, 'completed_at', now(), 'failed_requests', failed_requests,
            'rounds', (select count(*) from rounds where turn_id = target.id)) end, 3 from target
      ) as told`;

const columns = sql`"conversationId" text, "endsAs" text, output text, error text, "incompleteReason" text, warnings json,
  "onlyStep" text, "runId" text, "runRing" int, "roundNumber" int, "finishReason" text, "finishReasonRaw" text, usage json,
  opaque text, requests int, attempts int, "startedAt" double precision, "failedRequests" int, "eventIds" json`;

/**
 * One statement with everything that hangs on an end (R12, R16, R17). `hasRound`: with a last round; `isOnly`: only where no
 * other turn of the conversation waits.
 */
function ending({ hasRound, isOnly }: { hasRound: boolean; isOnly: boolean }) {
  return statementFor<Ended>(
    columns,
    (asked) => sql`
    with ${asked},
    ${isOnly ? lockedConversation : sql``}
    target as materialized (
      select turns.id, last_event, failed_requests + "failedRequests" as failed_requests, asked.* from asked join turns on turns.id = "turnId" ${isOnly ? nobodyWaits : sql``}
      where ${isActive} and ("onlyStep" is null or step = "onlyStep")
        and ("runId" is null or held_by = "runId" or (ring = "runRing" and (held_by is null or held_until < now())))
      for no key update of turns
    ),
    ${hasRound ? insertRound : sql``}
    settled as (${hasRound ? nothingOpen : settleCalls}),
    happened as materialized (${happened}),
    ended as (
      update turns set status = "endsAs", output = target.output, error = target.error::json,
        incomplete_reason = "incompleteReason", warnings = coalesce(target.warnings, turns.warnings),
        failed_requests = target.failed_requests,
        completed_at = now(), due_at = null, held_by = null, held_until = null, at_head = false, open_calls = 0,
        waiting_calls = 0,
        step = case when "endsAs" = 'failed' and step like 'b%' then 'r' || (substr(step, 2)::int + 1) else step end,
        last_event = turns.last_event + (select count(*) from happened where happened.id = target.id)
      from target where turns.id = target.id
      returning turns.id, project, conversation_id, config -> 'webhook' as webhook, "eventIds"
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event + place, ended."eventIds" ->> (place - 1)::int, type, round, call_index, data
      from ended join target using (id) join happened using (id)
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries(sql`ended`, sql`webhook`)}),
    promoted as (${isOnly ? sql`select null::json as ring` : promoteNext})
    select id as "turnId", (select json_agg(id) from delivery where turn_id = ended.id) as "deliveryIds",
      (select ring from promoted) as next
    from ended`,
  );
}

/** Ends turns with a last round, where no other turn of their conversations waits. */
export const writeEndingAlone = ending({ hasRound: true, isOnly: true });

/** Ends turns with a last round; the caller has locked their conversations. */
export const writeEndingAfterRound = ending({ hasRound: true, isOnly: false });

/** Ends turns as they are; the caller has locked their conversations. */
export const writeEndingAsItIs = ending({ hasRound: false, isOnly: false });
