import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Compaction } from '../../../turn/compaction/compaction.ts';
import { timing } from '../../../turn/timing.ts';
import type { ListedTurn, Round, ToolCall, Turn, Work } from '../../../turn/turn.ts';
import { hasCome } from '../../sql/due.ts';
import { readFor } from '../../sql/statement.ts';
import { isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';

type AsRead<R, Config, C> = Omit<Turn, 'adopted' | 'rounds' | 'compactions' | 'work' | 'config'> &
  Work & { turnId?: string; config: Config; rounds: R[] | null; compactions: C[] | null; calls: ToolCall[] | null };

/** A turn as it is read, its rounds and calls beside it. */
export type TurnAsRead = AsRead<Omit<Round, 'calls'>, Turn['config'], Compaction>;

/**
 * Reads whole turns, with their rounds and calls, in one statement. `where` is a condition on `turns`, and may go on
 * behind it.
 */
export async function selectTurns(db: Db, where: RawBuilder<unknown>): Promise<Turn[]> {
  const rows = await read(db, sql<TurnAsRead>`select ${selectWhole} from turns where ${where}`);
  return rows.map(toTurn);
}

/** The turns that may be read: those of one project that its callers find, or all of any. */
export type TurnScope = 'any' | { project: string };

/** Reads one turn, merged with other reads of the same moment. */
export async function selectTurn(db: Db, id: string, scope: TurnScope): Promise<Turn | undefined> {
  const columns = scope === 'any' ? { isAny: true } : { isAny: false, ofProject: scope.project };
  const [row] = await readTurn(db, { turnId: id, ...columns });
  return row && toTurn(row);
}

/** Reads a known turn again, without what can no longer change: its request and its settled rounds. */
export async function refreshTurn(db: Db, { adopted, rounds, ...known }: Turn): Promise<Turn | undefined> {
  const isOpen = ({ result }: ToolCall) => result === null;
  const open = rounds.findIndex(({ calls }) => calls.some(isOpen));
  const settled = open === -1 ? rounds : rounds.slice(0, open);
  const isAdoptedOpen = adopted.some(isOpen);
  const [row] = await readChanges(db, { turnId: known.id, settled: isAdoptedOpen ? -1 : settled.length });
  if (!row) return undefined;
  const { adopted: freshlyAdopted, rounds: fresh, ...now } = toTurn(row);
  return {
    ...{ ...known, ...now, adopted: isAdoptedOpen ? freshlyAdopted : adopted },
    rounds: isAdoptedOpen ? fresh : [...settled, ...fresh],
  };
}

/** The request of a turn, which never changes. */
const requestExceptConfig = sql`project, conversation_id as "conversationId", position, input, priority, metadata, stored,
  created_at::text as "createdAt"`;
export const requestColumns = sql`${requestExceptConfig}, config`;

/** The state of a turn. The database's clock decides whether it is `leased` (R9), and `uncontended` (R3). */
export const stateColumns = sql`
  id, status, hidden_at is not null as hidden, output, error, incomplete_reason as "incompleteReason", warnings,
  last_event as "lastEvent",
  failed_requests as "failedRequests", started_at::text as "startedAt", completed_at::text as "completedAt",
  step, coalesce(model, '') as model, generation, at_head as "atHead", lease_owner as "leaseOwner", coalesce(lease_until > now(), false) as leased,
  (generation = 0 and lease_owner is null and status <> 'queued'
    and due_at > now() + ${2 * timing.heartbeatMs}::double precision * interval '1 millisecond') as uncontended,
  coalesce(deadline_at <= now(), false) as overdue,
  extract(epoch from deadline_at - now())::double precision * 1000 as "deadlineInMs",
  starts, attempts, edition, waited_ms as "waitedMs",
  rate_limited as "rateLimited", (case when retry_at > now() then retry_at end)::text as "retryAt",
  not ${hasCome('retry_at')} as early,
  greatest(coalesce(waiting_since, created_at), case when retry_at <= now() then retry_at end,
    case when lease_until <= now() then lease_until end)::text as "waitingSince"`;

/** Rounds are numbered from 1 without a gap, so the number says which of them are known; -1 where none is, nor batch 0. */
const roundsAfter = (known: RawBuilder<unknown>) => sql`(
  select json_agg(json_build_object('number', number, 'model', model, 'text', text, 'finishReason', finish_reason,
    'finishReasonRaw', finish_reason_raw, 'usage', usage, 'opaque', opaque, 'reasoning', reasoning, 'refusalFrom', refusal_from,
    'violations', violations, 'edition', edition, 'requests', requests, 'attempts', attempts, 'startedAt', started_at,
    'completedAt', completed_at) order by number)
  from rounds where turn_id = turns.id and number > ${known})`;

const callColumns = sql`json_build_object('round', round, 'index', index, 'id', id, 'name', name, 'arguments', arguments,
    'effect', effect, 'waitsFor', waits_for, 'expiresAt', expires_at, 'expired', coalesce(expires_at <= now(), false),
    'approval', approval, 'claimedBy', claimed_by, 'claimedAt', claimed_at, 'result', result, 'completedAt', completed_at)`;

const callsAfter = (known: RawBuilder<unknown>) => sql`(
  select json_agg(${callColumns} order by round, index)
  from tool_calls where turn_id = turns.id and round > ${known})`;

/** Looked for only where the turn says that there are any. */
const compactions = sql`case when compacted_before is not null then (
  select json_agg(json_build_object('round', round, 'strategy', strategy, 'upToTurn', up_to_turn, 'upToRound', up_to_round,
    'summary', summary, 'beforeTokens', before_tokens, 'afterTokens', after_tokens, 'leftOut', left_out, 'model', model,
    'usage', usage, 'requests', requests, 'createdAt', created_at) order by round)
  from compactions where turn_id = turns.id) end as compactions`;

/** What was committed of a turn, after the round `known`. */
const committedAfter = (known: RawBuilder<unknown>) =>
  sql`${roundsAfter(known)} as rounds, ${callsAfter(known)} as calls, ${compactions}`;

/** All columns of a whole turn. */
export const selectWhole = sql`${requestColumns}, ${stateColumns}, ${committedAfter(sql`-1`)}`;

/** A turn of a list as it is read: what its rounds used, and which calls wait for a client or a person. */
export type ListedAsRead = AsRead<
  Omit<ListedTurn['rounds'][number], 'calls'>,
  ListedTurn['config'],
  ListedTurn['compactions'][number]
> &
  Pick<ListedTurn, 'callCount'>;

/** The columns of a turn in a list: nothing that grows with what its rounds say. */
export const selectListed = sql`${requestExceptConfig}, ${stateColumns}, json_build_object('model', config -> 'model',
    'response', config -> 'response' ->> 'background' is not null, 'output_schema', config -> 'output_schema' is not null) as config, (
    select json_agg(json_build_object('number', number, 'usage', usage, 'requests', requests) order by number)
    from rounds where turn_id = turns.id) as rounds, (
    select count(*)::int from tool_calls where turn_id = turns.id) as "callCount", (
    select json_agg(${callColumns} order by index)
    from tool_calls where turn_id = turns.id and turns.open_calls > 0 and result is null and waits_for is not null) as calls,
  case when compacted_before is not null then (
    select json_agg(json_build_object('usage', usage, 'requests', requests))
    from compactions where turn_id = turns.id) end as compactions`;

/** Bytes of a turn without its rounds, but for what is short, and bytes of those. */
export const bytesOfRequest = sql<number>`(octet_length(input::text) + coalesce(octet_length(output), 0) + 2000 + (
    select 250 * count(*) from rounds where turn_id = turns.id) + case when open_calls = 0 then 0 else (
    select coalesce(sum(octet_length(arguments)), 0) from tool_calls where turn_id = turns.id and result is null) end)`;
export const bytesOfRounds = sql<number>`((
    select coalesce(sum(coalesce(octet_length(text), 0) + coalesce(octet_length(opaque::text), 0) + 500), 0)
    from rounds where turn_id = turns.id) + (
    select coalesce(sum(octet_length(arguments) + coalesce(octet_length(result::text), 0) + 500), 0)
    from tool_calls where turn_id = turns.id))`;

const readTurn = readFor<TurnAsRead>(
  sql`"isAny" boolean, "ofProject" text`,
  (input) => sql`
    with ${input}
    select "turnId", ${requestColumns}, ${stateColumns}, ${committedAfter(sql`-1`)}
    from input join turns on id = "turnId" where "isAny" or (project = "ofProject" and ${isVisible})`,
);

const readChanges = readFor<TurnAsRead>(
  sql`settled int`,
  (input) => sql`
    with ${input}
    select "turnId", ${stateColumns}, ${committedAfter(sql`settled`)}
    from input join turns on id = "turnId"`,
);

/** Makes a turn from its row. */
export function toTurn(row: TurnAsRead): Turn {
  return fromColumns(row);
}

/** Makes a listed turn from its row. */
export function toListed(row: ListedAsRead): ListedTurn {
  return { ...fromColumns(row), callCount: row.callCount };
}

/** A column that was not read has no key in the result, so that the result can be laid over a known turn. */
function fromColumns<R extends { number: number }, Config, C>(row: AsRead<R, Config, C>) {
  const { rounds, calls, compactions, turnId: _, step, model, generation, atHead, leaseOwner, leased, ...rest } = row;
  const { uncontended, overdue, deadlineInMs, starts, attempts, edition, waitedMs, rateLimited, ...others } = rest;
  const { retryAt, early, waitingSince, ...turn } = others;
  const callsOf = Map.groupBy(calls ?? [], (call) => call.round);
  return {
    ...turn,
    adopted: callsOf.get(0) ?? [],
    rounds: (rounds ?? []).map((round) => ({ ...round, calls: callsOf.get(round.number) ?? [] })),
    compactions: compactions ?? [],
    work: {
      ...{ step, model, generation, atHead, leaseOwner, leased, uncontended, overdue },
      ...{ deadlineInMs, starts, attempts, edition, waitedMs, rateLimited, retryAt, early, waitingSince },
    },
  };
}
