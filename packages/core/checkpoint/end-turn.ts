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
  const conversation = sql`conversation as materialized (
      select id, turns, reopened from conversations where id = ${ending.conversationId} for no key update
    ),`;
  const nobodyWaits = sql`join conversation on exists (
        select from conversations as seen where seen.id = conversation.id
          and seen.turns = conversation.turns and seen.reopened = conversation.reopened)
      and not exists (
        select from turns as waiting where waiting.conversation_id = conversation.id
          and waiting.due_at is not null and waiting.id <> ${ending.turnId})`;
  return sql<Ended>`
    with ${isOnly ? conversation : sql``} target as materialized (
      select turns.id, last_event, config from turns ${isOnly ? nobodyWaits : sql``}
      where turns.id = ${ending.turnId} and ${isActive}
        ${ending.step ? sql`and step = ${ending.step}` : sql``}
        ${ending.run ? isTheRuns(ending.run) : sql``}
      for no key update of turns
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
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries(sql`ended`, sql`config -> 'webhook'`)}),
    promoted as (${isOnly ? sql`select null::json as ring` : promoteNext})
    select (select json_agg(id) from delivery) as "deliveryIds", (select ring from promoted) as next
    from ended`.execute(db);
}

function isTheRuns({ id, ring }: NonNullable<Ending['run']>) {
  return sql`and (held_by = ${id} or (ring = ${ring} and (held_by is null or held_until < now())))`;
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
