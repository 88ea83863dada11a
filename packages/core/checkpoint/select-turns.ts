import { type RawBuilder, sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import type { ListedTurn, Round, ToolCall, Turn, Work } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { hasCome } from './due.ts';
import { statementFor } from './row-set.ts';

type AsRead<R, Config> = Omit<Turn, 'rounds' | 'work' | 'config'> &
  Work & { turnId?: string; config: Config; rounds: R[] | null; calls: ToolCall[] | null };

/** A turn as it is read, its rounds and calls beside it. */
export type TurnAsRead = AsRead<Omit<Round, 'calls'>, Turn['config']>;

/** Reads whole turns, with their rounds and calls, in one statement. `where` and what follows it speak of `turns`. */
export async function selectTurns(db: Db, where: RawBuilder<unknown>): Promise<Turn[]> {
  const { rows } = await sql<TurnAsRead>`select ${selectWhole} from turns where ${where}`.execute(db);
  return rows.map(toTurn);
}

/** Whose a turn has to be. */
export type Whose = 'anybodys' | { project: string };

/** Reads one turn, in one statement with others that are read at this moment. */
export async function selectTurn(db: Db, id: string, whose: Whose): Promise<Turn | undefined> {
  const asked = whose === 'anybodys' ? { isAnybodys: true } : { isAnybodys: false, ofProject: whose.project };
  const [row] = await readTurn(db, { turnId: id, ...asked });
  return row && toTurn(row);
}

/** Reads again a turn that was read before, without what can no longer change: its request and its settled rounds. */
export async function selectAgain(db: Db, { rounds, ...known }: Turn): Promise<Turn | undefined> {
  const open = rounds.findIndex((round) => round.calls.some((call) => call.result === null));
  const settled = open === -1 ? rounds : rounds.slice(0, open);
  const [row] = await readAgain(db, { turnId: known.id, settled: settled.length });
  if (!row) return undefined;
  const { rounds: fresh, ...now } = toTurn(row);
  return { ...known, ...now, rounds: [...settled, ...fresh] };
}

/** What a turn was asked to do, which never changes. */
const requestExceptConfig = sql`project, conversation_id as "conversationId", position, input, priority, metadata, created_at::text as "createdAt"`;
export const requestColumns = sql`${requestExceptConfig}, config`;

/** Whether a turn is `held` (R9), and whether it is `quiet` enough to start without writing (R3), the database judges. */
export const stateColumns = sql`
  id, status, output, error, incomplete_reason as "incompleteReason", warnings, last_event as "lastEvent",
  failed_requests as "failedRequests", started_at::text as "startedAt", completed_at::text as "completedAt",
  step, ring, at_head as "atHead", held_by as "heldBy", coalesce(held_until > now(), false) as held,
  (ring = 0 and held_by is null and status <> 'queued'
    and due_at > now() + ${2 * timing.heartbeatMs}::double precision * interval '1 millisecond') as quiet,
  coalesce(deadline_at <= now(), false) as overdue,
  extract(epoch from deadline_at - now())::double precision * 1000 as "deadlineInMs",
  starts, attempts, parked_ms as "parkedMs",
  rate_limited as "rateLimited", (case when retry_at > now() then retry_at end)::text as "retryAt",
  not ${hasCome('retry_at')} as early,
  greatest(coalesce(waits_since, created_at), case when retry_at <= now() then retry_at end,
    case when held_until <= now() then held_until end)::text as "waitsSince"`;

/** Rounds are numbered from 1 without a gap, so that the first of them can be left out by their number. */
const roundsAfter = (known: RawBuilder<unknown>) => sql`(
  select json_agg(json_build_object('number', number, 'text', text, 'finishReason', finish_reason,
    'finishReasonRaw', finish_reason_raw, 'usage', usage, 'opaque', opaque, 'requests', requests, 'attempts', attempts,
    'startedAt', started_at, 'completedAt', completed_at) order by number)
  from rounds where turn_id = turns.id and number > ${known})`;

const callColumns = sql`json_build_object('round', round, 'index', index, 'id', id, 'name', name, 'arguments', arguments,
    'effect', effect, 'waitsFor', waits_for, 'expiresAt', expires_at, 'expired', coalesce(expires_at <= now(), false),
    'approval', approval, 'claimedBy', claimed_by, 'claimedAt', claimed_at, 'result', result, 'completedAt', completed_at)`;

const callsAfter = (known: RawBuilder<unknown>) => sql`(
  select json_agg(${callColumns} order by round, index)
  from tool_calls where turn_id = turns.id and round > ${known})`;

/** All columns of a whole turn. */
export const selectWhole = sql`${requestColumns}, ${stateColumns}, ${roundsAfter(sql`0`)} as rounds, ${callsAfter(sql`0`)} as calls`;

/** A turn of a list as it is read: what its rounds used, and of its calls those that wait for a client or a person. */
export type ListedAsRead = AsRead<Omit<ListedTurn['rounds'][number], 'calls'>, ListedTurn['config']> &
  Pick<ListedTurn, 'callCount'>;

/** The columns of a turn in a list: nothing that grows with what its rounds say. */
export const selectListed = sql`${requestExceptConfig}, json_build_object('model', config -> 'model') as config, ${stateColumns}, (
    select json_agg(json_build_object('number', number, 'usage', usage, 'requests', requests) order by number)
    from rounds where turn_id = turns.id) as rounds, (
    select count(*)::int from tool_calls where turn_id = turns.id) as "callCount", (
    select json_agg(${callColumns} order by index)
    from tool_calls where turn_id = turns.id and turns.open_calls > 0 and result is null and waits_for is not null) as calls`;

/** Bytes of a turn without its rounds, but for what is short, and bytes of those. */
export const bytesOfRequest = sql<number>`(octet_length(input::text) + coalesce(octet_length(output), 0) + 2000 + (
    select 250 * count(*) from rounds where turn_id = turns.id) + case when open_calls = 0 then 0 else (
    select coalesce(sum(octet_length(arguments)), 0) from tool_calls where turn_id = turns.id and result is null) end)`;
export const bytesOfRounds = sql<number>`((
    select coalesce(sum(coalesce(octet_length(text), 0) + coalesce(octet_length(opaque::text), 0) + 500), 0)
    from rounds where turn_id = turns.id) + (
    select coalesce(sum(octet_length(arguments) + coalesce(octet_length(result::text), 0) + 500), 0)
    from tool_calls where turn_id = turns.id))`;

const readTurn = statementFor<TurnAsRead>(
  sql`"isAnybodys" boolean, "ofProject" text`,
  (asked) => sql`select found.* from (
    with ${asked}
    select "turnId", ${requestColumns}, ${stateColumns}, ${roundsAfter(sql`0`)} as rounds, ${callsAfter(sql`0`)} as calls
    from asked join turns on id = "turnId" where "isAnybodys" or project = "ofProject"
  ) as found`,
);

const readAgain = statementFor<TurnAsRead>(
  sql`settled int`,
  (asked) => sql`select found.* from (
    with ${asked}
    select "turnId", ${stateColumns}, ${roundsAfter(sql`settled`)} as rounds, ${callsAfter(sql`settled`)} as calls
    from asked join turns on id = "turnId"
  ) as found`,
);

/** Puts a turn together from what was read. */
export function toTurn(row: TurnAsRead): Turn {
  return fromColumns(row);
}

/** Puts a turn of a list together from what was read. */
export function toListed(row: ListedAsRead): ListedTurn {
  return { ...fromColumns(row), callCount: row.callCount };
}

/** What was not read is not there either, so that it can be laid over what is known. */
function fromColumns<R extends { number: number }, Config>({ rounds, calls, turnId: _, ...row }: AsRead<R, Config>) {
  const { step, ring, atHead, heldBy, held, quiet, overdue, deadlineInMs, starts, attempts, parkedMs, ...others } = row;
  const { rateLimited, retryAt, early, waitsSince, ...turn } = others;
  const callsOf = Map.groupBy(calls ?? [], (call) => call.round);
  return {
    ...turn,
    rounds: (rounds ?? []).map((round) => ({ ...round, calls: callsOf.get(round.number) ?? [] })),
    work: {
      ...{ step, ring, atHead, heldBy, held, quiet, overdue, deadlineInMs, starts, attempts, parkedMs },
      ...{ rateLimited, retryAt, early, waitsSince },
    },
  };
}
