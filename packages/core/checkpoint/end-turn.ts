import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { Reply } from '../turn/reply.ts';
import type { Ring, TurnRing } from '../turn/ring.ts';
import type { IncompleteReason, TerminalStatus, TurnError } from '../turn/turn.ts';
import { isActive } from './active.ts';
import type { Db, Trx } from './database.ts';
import { lockConversation } from './lock-conversation.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { firstRings } from './owed-of.ts';
import { promoteNext } from './promote-next.ts';
import { askedFor } from './row-set.ts';
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
  warnings?: string[];
  lastRound?: LastRound;
};

/** The reply that is the answer. Its text is the turn's output and is not held twice. */
export type LastRound = { number: number; reply: Reply; attempts: number; startedAt: number };

/**
 * Ends a turn once and for all, in one transaction with everything that hangs on it: its last round, the answers of
 * its open calls, its events, its deliveries, and the turn of the conversation that now comes first (R12, R16, R17).
 * Answers what is owed after the commit; null when the guard refused and nothing was written.
 */
export async function endTurn(trx: Trx, ending: Ending): Promise<Ring[] | null> {
  await lockConversation(trx, ending.conversationId);
  const eventIds = await newEventIds(trx, ending);
  return ringsOf(await writeEnding(trx, ending, { eventIds, isOnly: false }));
}

/**
 * Ends a turn with its last round like `endTurn`, in one statement where no other turn of its conversation waits. What came
 * while the statement waited for the lock it does not see; the counts of the locked conversation tell that there was.
 */
export async function endWithRound(db: Db, ending: Ending & { lastRound: LastRound }): Promise<Ring[] | null> {
  const eventIds = [newId('evt'), newId('evt')];
  const rings = ringsOf(await writeEnding(db, ending, { eventIds, isOnly: true }));
  return rings ?? db.transaction().execute((trx) => endTurn(trx, ending));
}

type Ended = { deliveryIds: string[] | null; next: TurnRing | null };

function ringsOf({ rows: [ended] }: { rows: Ended[] }): Ring[] | null {
  if (!ended) return null;
  return [...(ended.next ? [ended.next] : []), ...firstRings(ended.deliveryIds)];
}

/** One id for each event that may happen: a last round has no open calls, any other end may find some. */
async function newEventIds(trx: Trx, { turnId, lastRound }: Ending): Promise<string[]> {
  if (lastRound) return [newId('evt'), newId('evt')];
  const turn = await trx
    .selectFrom('turns')
    .select('open_calls')
    .where('id', '=', turnId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return Array.from({ length: (turn?.open_calls ?? 0) + 1 }, () => newId('evt'));
}

function writeEnding(db: Db, ending: Ending, { eventIds, isOnly }: { eventIds: string[]; isOnly: boolean }) {
  const { lastRound } = ending;
  return sql<Ended>`
    with ${askedFor(rowOf(ending, eventIds), columns)},
    ${isOnly ? lockedConversation : sql``}
    target as materialized (
      select turns.id, last_event, asked.* from asked join turns on turns.id = "turnId" ${isOnly ? nobodyWaits : sql``}
      where ${isActive} and ("onlyStep" is null or step = "onlyStep")
        and ("runId" is null or held_by = "runId" or (ring = "runRing" and (held_by is null or held_until < now())))
      for no key update of turns
    ),
    ${lastRound ? insertRound : sql``}
    settled as (${lastRound ? nothingOpen : settleCalls}),
    happened as materialized (${happened}),
    ended as (
      update turns set status = "endsAs", output = target.output, error = target.error,
        incomplete_reason = "incompleteReason", warnings = coalesce(target.warnings, turns.warnings),
        completed_at = now(), due_at = null, held_by = null, held_until = null, at_head = false, open_calls = 0,
        waiting_calls = 0,
        step = case when "endsAs" = 'failed' and step like 'b%' then 'r' || (substr(step, 2)::int + 1) else step end,
        last_event = turns.last_event + (select count(*) from happened where happened.id = target.id)
      from target where turns.id = target.id
      returning turns.id, project, conversation_id, config -> 'webhook' as webhook, "deliveryId"
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event + place, "eventIds" ->> (place - 1)::int, type, round, call_index, data
      from ended join target using (id) join happened using (id)
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries({ turn: sql`ended`, webhook: sql`webhook`, deliveryId: sql`"deliveryId"` })}),
    promoted as (${isOnly ? sql`select null::json as ring` : promoteNext})
    select id as "turnId", (select json_agg(id) from delivery where turn_id = ended.id) as "deliveryIds",
      (select ring from promoted) as next
    from ended`.execute(db);
}

function rowOf({ turnId, conversationId, lastRound, run, ...ending }: Ending, eventIds: string[]) {
  return {
    ...{ turnId, conversationId, eventIds, deliveryId: newId('dlv') },
    endsAs: ending.status,
    output: ending.output ?? null,
    error: ending.error ?? null,
    incompleteReason: ending.incompleteReason ?? null,
    warnings: ending.warnings ?? null,
    onlyStep: ending.step ?? null,
    ...(run && { runId: run.id, runRing: run.ring }),
    ...(lastRound && roundOf(lastRound)),
  };
}

function roundOf({ number, reply, attempts, startedAt }: LastRound) {
  const { finishReason, finishReasonRaw, usage, opaque = null, requests = 1 } = reply;
  const told = { finishReason, finishReasonRaw, usage, opaque, requests };
  return { roundNumber: number, ...told, attempts, startedAt: startedAt / 1000 };
}

const columns = sql`"conversationId" text, "endsAs" text, output text, error json, "incompleteReason" text, warnings json,
  "onlyStep" text, "runId" text, "runRing" int, "roundNumber" int, "finishReason" text, "finishReasonRaw" text, usage json,
  opaque json, requests int, attempts int, "startedAt" double precision, "eventIds" json, "deliveryId" text`;

const lockedConversation = sql`
    conversation as materialized (
      select conversations.id, turns, reopened from asked join conversations on conversations.id = "conversationId"
      for no key update of conversations
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
      select id, "roundNumber", "finishReason", "finishReasonRaw", usage, opaque, requests, attempts, to_timestamp("startedAt")
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
          json_build_object('error', error, 'completed_at', now(),
            'rounds', (select count(*) from rounds where turn_id = target.id)) end, 3 from target
      ) as told`;
