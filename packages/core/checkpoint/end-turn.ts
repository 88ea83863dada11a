import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { Reply } from '../turn/reply.ts';
import type { Ring, TurnRing } from '../turn/ring.ts';
import type { IncompleteReason, TerminalStatus, TurnError } from '../turn/turn.ts';
import { isActive } from './active.ts';
import type { Trx } from './database.ts';
import { lockConversation } from './lock-conversation.ts';
import { oweDelivery } from './owe-delivery.ts';
import { promoteNext } from './promote-next.ts';
import { settleCalls } from './settle-calls.ts';

/** How a turn ends. `runId` makes it a negative write: only for whoever holds the step, or where nobody does (R5). */
export type Ending = {
  turnId: string;
  conversationId: string;
  status: TerminalStatus;
  output?: string;
  error?: TurnError;
  incompleteReason?: IncompleteReason;
  step?: string;
  runId?: string;
  warnings?: string[];
  lastRound?: LastRound;
};

/** The reply that is the answer. Its text is the turn's output and is not held twice. */
export type LastRound = { number: number; reply: Reply; attempts: number; startedAt: number };

/**
 * Ends a turn once and for all, in one transaction with everything that hangs on it: its last round, the answers of
 * its open calls, its events, its delivery, and the turn of the conversation that now comes first (R12).
 * Answers what is owed after the commit; null when the guard refused and nothing was written.
 */
export async function endTurn(trx: Trx, ending: Ending): Promise<Ring[] | null> {
  await lockConversation(trx, ending.conversationId);
  const eventIds = await newEventIds(trx, ending);
  const { rows } = await writeEnding(trx, ending, eventIds);
  const [ended] = rows;
  if (!ended) return null;
  const rings: Ring[] = ended.next ? [ended.next] : [];
  return ended.deliveryId ? [...rings, { kind: 'delivery', deliveryId: ended.deliveryId, number: 0 }] : rings;
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

function writeEnding(trx: Trx, ending: Ending, eventIds: string[]) {
  return sql<{ deliveryId: string | null; next: TurnRing | null }>`
    with target as materialized (
      select id, last_event, config from turns where id = ${ending.turnId} and ${isActive}
        ${ending.step ? sql`and step = ${ending.step}` : sql``}
        ${ending.runId ? sql`and (held_by is null or held_by = ${ending.runId} or held_until < now())` : sql``}
      for no key update
    ),
    ${ending.lastRound ? insertRound(ending.lastRound) : sql``}
    settled as (${settleCalls}),
    happened as materialized (${happened(ending)}),
    ended as (
      update turns set status = ${ending.status}, output = ${ending.output ?? null}::text,
        error = ${ending.error ?? null}::json, incomplete_reason = ${ending.incompleteReason ?? null}::text,
        warnings = coalesce(${ending.warnings ?? null}::json, turns.warnings),
        completed_at = now(), due_at = null, held_by = null, held_until = null, at_head = false, open_calls = 0,
        waiting_calls = 0,
        step = case when ${ending.status === 'failed'} and step like 'b%' then 'r' || (substr(step, 2)::int + 1) else step end,
        last_event = turns.last_event + (select count(*) from happened)
      from target where turns.id = target.id
      returning turns.id, turns.project, turns.conversation_id, turns.last_event, turns.config
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select ended.id, target.last_event + place, ${eventIds}::json ->> (place - 1)::int, type, round, call_index, data
      from ended, target, happened
    ),
    delivery as (${oweDelivery(sql`ended`, sql`true`, `turn.${ending.status}`)}),
    promoted as (${promoteNext})
    select (select id from delivery) as "deliveryId", (select ring from promoted) as next from ended`.execute(trx);
}

function insertRound({ number, reply, attempts, startedAt }: LastRound) {
  return sql`
    round as (
      insert into rounds (turn_id, number, finish_reason, finish_reason_raw, usage, opaque, requests, attempts, started_at)
      select id, ${number}::int, ${reply.finishReason}, ${reply.finishReasonRaw}::text, ${reply.usage}::json,
        ${reply.opaque ?? null}::json, ${reply.requests ?? 1}::int, ${attempts}::int, to_timestamp(${startedAt / 1000}::double precision)
      from target
    ),`;
}

/** What happened, in order: the last round, the calls that were still open, the end. */
function happened({ status, error, lastRound }: Ending) {
  const failed = sql`json_build_object('error', ${error ?? null}::json, 'completed_at', now(),
    'rounds', (select count(*) from rounds where turn_id = target.id))`;
  return sql`select *, row_number() over (order by rank, round, call_index) as place from (
      select 'round.completed' as type, ${lastRound?.number ?? null}::int as round, null::int as call_index,
        null::json as data, 1 as rank
      from target where ${lastRound !== undefined}
      union all select 'tool_call.completed', round, index, null::json, 2 from settled
      union all select ${`turn.${status}`}, null, null, ${status === 'failed' ? failed : sql`null::json`}, 3 from target
    ) as told`;
}
