import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Compaction } from '../../../turn/compaction/compaction.ts';
import { beginningInput, placeJoined } from '../../../turn/inputs/joined-input.ts';
import { timing } from '../../../turn/timing.ts';
import type { JoinedInput, ListedTurn, Round, ToolCall, Turn, Work } from '../../../turn/turn.ts';
import { hasEndpoints } from '../../sql/deliveries.ts';
import { hasCome } from '../../sql/due.ts';
import { readFor } from '../../sql/statement.ts';
import { isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { bytesOfTurn } from './bytes.ts';

type AsRead<R, Config, C> = Omit<
  Turn,
  'adopted' | 'rounds' | 'compactions' | 'work' | 'config' | 'joined' | 'pendingInput'
> &
  Work & {
    turnId?: string;
    config: Config;
    rounds: R[] | null;
    compactions: C[] | null;
    calls: ToolCall[] | null;
    joined: JoinedInput[] | null;
  };

/** A turn as it is read, with its rounds and calls beside it. */
export type TurnAsRead = AsRead<Omit<Round, 'calls' | 'input'>, Turn['config'], Compaction>;

/**
 * Reads whole turns, with their rounds and calls, in one statement. `where` is a condition on `turn_states` with the
 * name `turns`. An order and a limit may follow it.
 */
export async function selectTurns(db: Db, where: RawBuilder<unknown>): Promise<Turn[]> {
  const rows = await read(db, sql<TurnAsRead>`select ${selectWhole} from turn_states as turns where ${where}`);
  return rows.map(toTurn);
}

/** The turns that may be read: the turns of a project that its callers find, or all turns. */
export type TurnScope = 'any' | { project: string };

/**
 * Reads a turn, merged with other reads of the same moment. Returns undefined also if it has more than `most` bytes.
 */
export async function selectTurn(
  db: Db,
  id: string,
  scope: TurnScope,
  most: number | null = null,
): Promise<Turn | undefined> {
  const columns = scope === 'any' ? { isAny: true } : { isAny: false, ofProject: scope.project };
  const [row] = await readTurn(db, { turnId: id, most, ...columns });
  return row && toTurn(row);
}

/** The position of turns without a position, after all others. */
export const BEHIND_ALL = 2_147_483_647;

/** The request of a turn, which never changes. */
const requestExceptConfig = sql`project, conversation_id as "conversationId", input, priority, metadata, stored,
  created_at::text as "createdAt", start_at::text as "startAt",
  schedule_id as "scheduleId", continues`;
export const requestColumns = sql`${requestExceptConfig}, config`;

/** The refusals of a round for lack of capacity, and its wait since the first refusal. Null for nearly all turns. */
const tierWait = sql`case when tier_wait is not null then json_build_object('refusals', tier_wait -> 'refusals', 'tier', tier_wait -> 'tier',
  'waitedMs', extract(epoch from now() - (tier_wait ->> 'since')::timestamptz) * 1000) end`;

/** The responses that a round waits for (R40), with their age. Null for nearly all turns. */
export const awaitedResponses = sql`case when background ->> 'step' = step and background ->> 'model' = model then json_build_object(
  'responses', background -> 'responses', 'inputs', background -> 'inputs', 'polls', background -> 'polls',
  'ageMs', extract(epoch from now() - (background ->> 'at')::timestamptz) * 1000,
  'isBatch', coalesce((background ->> 'batch')::boolean, false)) end`;

/**
 * The state of a row of `turn_states`. The database's clock decides whether it is `leased` (R9) and
 * `uncontended` (R3).
 */
export const stateExceptOutput = sql`
  id, status, coalesce(position, ${sql.lit(BEHIND_ALL)}) as position, position is null as delayed, hidden_at is not null as hidden, error, incomplete_reason as "incompleteReason", warnings,
  last_event as "lastEvent", trace,
  failed_requests as "failedRequests", started_at::text as "startedAt", completed_at::text as "completedAt",
  step, coalesce(model, '') as model, generation, at_head as "atHead", lease_owner as "leaseOwner", coalesce(lease_until > now(), false) as leased,
  (generation = 0 and lease_owner is null and status <> 'queued' and coalesce(slot = 'held', true)
    and due_at > now() + ${2 * timing.heartbeatMs}::double precision * interval '1 millisecond') as uncontended,
  coalesce(deadline_at <= now(), false) as overdue,
  extract(epoch from deadline_at - now())::double precision * 1000 as "deadlineInMs",
  starts, attempts, draft, waited_ms as "waitedMs",
  rate_limited as "rateLimited", (case when retry_at > now() then retry_at end)::text as "retryAt",
  not ${hasCome('retry_at')} as early,
  greatest(coalesce(waiting_since, created_at), case when retry_at <= now() then retry_at end,
    case when lease_until <= now() then lease_until end)::text as "waitingSince", slot,
  coalesce(slot = 'wanted' and exists (select from full_projects where name = project), false) as "quotaFull",
  inputs_at_start as "inputsAtStart", ${tierWait} as "tierWait", ${awaitedResponses} as background,
  completed_at is null and ${hasEndpoints(sql`turns.project`)} as "hasEndpoints"`;
export const stateColumns = sql`${stateExceptOutput}, output`;

/** Selects the inputs that joined a turn, but only if the turn counts any. `turn` is the relation with its columns. */
export function joinedOf(turn: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${turn}.inputs > 0 then (
  select json_agg(json_build_object('content', content, 'metadata', inputs.metadata) order by number)
  from inputs where turn_id = ${turn}.id) end as joined`;
}

/**
 * A round as a row `shown`, beside the row of `rounds`. PostgreSQL converts a row to JSON faster than an object of
 * names and values.
 */
const shownRound = sql`lateral (select number, model, text, finish_reason as "finishReason", finish_reason_raw as "finishReasonRaw",
    usage, opaque, reasoning, refusal_from as "refusalFrom", hosted, service_tier as "serviceTier", violations, draft, requests, attempts,
    inputs_sent as "inputsSent", started_at as "startedAt", completed_at as "completedAt") as shown`;

/**
 * Selects the rounds after the round `known`. Rounds are numbered from 1 without a gap. It is -1 if neither rounds
 * nor batch 0 are known.
 */
export const roundsAfter = (known: RawBuilder<unknown>, round = sql`shown`) => sql`(
  select json_agg(${round} order by rounds.number) from rounds, ${shownRound}
  where turn_id = turns.id and rounds.number > ${known})`;

/**
 * Selects a call as a row `shown`, beside the row of `tool_calls`, with these expressions for its result and
 * arguments.
 */
export const shownCall = (result = sql`result`, args = sql`arguments`) =>
  sql`lateral (select round, index, id, name, ${args} as arguments, effect, waits_for as "waitsFor", expires_at as "expiresAt",
    coalesce(expires_at <= now(), false) as expired, approval, claimed_by as "claimedBy", claimed_at as "claimedAt",
    ${result} as result, completed_at as "completedAt") as shown`;

export const callsAfter = (known: RawBuilder<unknown>, call = shownCall()) => sql`(
  select json_agg(shown order by shown.round, shown.index) from tool_calls, ${call}
  where turn_id = turns.id and tool_calls.round > ${known})`;

/** The compactions of a turn, selected only if the turn has any. */
export const compactions = sql`case when compacted_before is not null then (
  select json_agg(json_build_object('round', round, 'strategy', strategy, 'upToTurn', up_to_turn, 'upToRound', up_to_round,
    'summary', summary, 'beforeTokens', before_tokens, 'afterTokens', after_tokens, 'leftOut', left_out, 'model', model,
    'usage', usage, 'requests', requests, 'createdAt', created_at) order by round)
  from compactions where turn_id = turns.id) end`;

const committed = sql`${roundsAfter(sql`-1`)} as rounds, ${callsAfter(sql`-1`)} as calls, ${compactions} as compactions,
  ${joinedOf(sql`turns`)}`;

export const selectWhole = sql`${requestColumns}, ${stateColumns}, ${committed}`;

/** Returns the same columns, with `result` as the result of each call. */
export const selectWithResult = (result: RawBuilder<unknown>) => sql`${requestColumns}, ${stateColumns},
  ${roundsAfter(sql`-1`)} as rounds, ${callsAfter(sql`-1`, shownCall(result))} as calls, ${compactions} as compactions, ${joinedOf(sql`turns`)}`;

/** A turn of a list as it is read. It has the usage of its rounds, and the calls that wait for a client or a person. */
export type ListedAsRead = AsRead<
  Omit<ListedTurn['rounds'][number], 'calls'>,
  ListedTurn['config'],
  ListedTurn['compactions'][number]
> &
  Pick<ListedTurn, 'callCount'>;

/** The columns of a turn in a list. No column grows with the texts of its rounds. */
export const selectListed = sql`${requestExceptConfig}, ${stateColumns}, json_build_object('model', config -> 'model',
    'response', config -> 'response' ->> 'background' is not null, 'output_schema', config -> 'output_schema' is not null,
    'origin', config -> 'origin', 'agent', config -> 'agent') as config, (
    select json_agg(json_build_object('number', number, 'usage', usage, 'requests', requests, 'inputsSent', inputs_sent, 'hosted',
      case when hosted is not null then json_build_object('calls', '[]'::json, 'annotations', hosted -> 'annotations',
        'images', hosted -> 'images') end) order by number)
    from rounds where turn_id = turns.id) as rounds, (
    select count(*)::int from tool_calls where turn_id = turns.id) as "callCount", (
    select json_agg(shown order by shown.index) from tool_calls, ${shownCall()}
    where turn_id = turns.id and turns.open_calls > 0 and tool_calls.result is null and waits_for is not null) as calls,
  case when compacted_before is not null then (
    select json_agg(json_build_object('usage', usage, 'requests', requests))
    from compactions where turn_id = turns.id) end as compactions, ${joinedOf(sql`turns`)}`;

const readTurn = readFor<TurnAsRead>(
  sql`"isAny" boolean, "ofProject" text, most bigint`,
  (input) => sql`
    with ${input}
    select "turnId", ${requestColumns}, ${stateColumns}, ${committed}
    from input join turn_states as turns on id = "turnId"
    where ("isAny" or (project = "ofProject" and ${isVisible})) and (most is null or ${bytesOfTurn} <= most)`,
);

export function toTurn(row: TurnAsRead): Turn {
  const turn = fromColumns(row);
  return { ...turn, ...placeJoined(turn), input: beginningInput(turn) };
}

export function toListed(row: ListedAsRead): ListedTurn {
  const turn = fromColumns(row);
  return { ...turn, ...placeJoined(turn), input: beginningInput(turn), callCount: row.callCount };
}

/**
 * Returns the columns that were read. Other columns have no key, so that the result can replace parts of a known
 * turn.
 */
export function fromColumns<R extends { number: number }, Config, C>(row: AsRead<R, Config, C>) {
  const {
    rounds,
    calls,
    compactions,
    turnId: _,
    step,
    model,
    generation,
    atHead,
    delayed,
    leaseOwner,
    leased,
    ...rest
  } = row;
  const { uncontended, overdue, deadlineInMs, starts, attempts, draft, waitedMs, tierWait, background, ...others } =
    rest;
  const { rateLimited, retryAt, early, waitingSince, slot, quotaFull, hasEndpoints, joined, ...turn } = others;
  const callsOf = Map.groupBy(calls ?? [], (call) => call.round);
  return {
    ...turn,
    adopted: callsOf.get(0) ?? [],
    rounds: (rounds ?? []).map((round) => ({ ...round, calls: callsOf.get(round.number) ?? [] })),
    compactions: compactions ?? [],
    joined: joined ?? [],
    work: {
      ...{ step, model, generation, atHead, delayed, leaseOwner, leased, uncontended, overdue },
      ...{ deadlineInMs, starts, attempts, draft, waitedMs, tierWait, background, rateLimited },
      ...{ retryAt, early, waitingSince },
      ...{ slot, quotaFull, hasEndpoints },
    },
  };
}
