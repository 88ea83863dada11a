import { sql } from 'kysely';
import { placeJoined } from '../../../turn/inputs/joined-input.ts';
import type { Round, ToolCall, Turn } from '../../../turn/turn.ts';
import { readFor } from '../../sql/statement.ts';
import type { Db } from '../../tables.ts';
import { bytesAfter } from './bytes.ts';
import {
  callsAfter,
  compactions,
  fromColumns,
  joinedOf,
  roundsAfter,
  selectTurn,
  shownCall,
  stateColumns,
  type TurnAsRead,
} from './select.ts';

/**
 * Reads a known turn again, without the parts that no longer change: its request after its beginning, its settled
 * rounds, and the open round with the results of its batch. If the last settled round differs from the known round, a
 * failover has lost commits, so the whole turn is read. Returns undefined also if more than `most` bytes would be
 * read.
 */
export async function refreshTurn(db: Db, turn: Turn, most: number | null = null): Promise<Turn | undefined> {
  const { adopted, rounds: _, ...known } = turn;
  if (known.inputsAtStart === null) return selectTurn(db, known.id, 'any', most);
  const { settled, open, isAdoptedOpen } = splitRounds(turn);
  const input = { settled: isAdoptedOpen ? -1 : settled.length, openAt: open.round?.completedAt ?? null };
  const [row] = await readChanges(db, { turnId: known.id, most, ...input, answered: answeredAt(open) });
  if (!row) return undefined;
  const { settledAt, ...rest } = row;
  const isLost = settledAt !== null && JSON.stringify(settledAt) !== JSON.stringify(timesOf(settled.at(-1), adopted));
  if (isLost || rest.inputsAtStart !== known.inputsAtStart) return selectTurn(db, known.id, 'any', most);
  const { adopted: freshlyAdopted, rounds: fresh, ...now } = fromColumns(rest);
  const merged = { ...known, ...now, adopted: isAdoptedOpen ? withKnown(freshlyAdopted, open) : adopted };
  const unsettled = fresh.map((round) => {
    return round.number === open.number ? { ...open.round, ...round, calls: withKnown(round.calls, open) } : round;
  });
  return { ...merged, ...placeJoined({ ...merged, rounds: [...settled, ...unsettled] }) };
}

/** The batch that still had open calls, and its round. Batch 0, of adopted calls, has no round. */
type OpenBatch = { number: number; round: Round | undefined; calls: ToolCall[] };

function splitRounds({ adopted, rounds }: Turn): { settled: Round[]; open: OpenBatch; isAdoptedOpen: boolean } {
  const isOpen = ({ result }: ToolCall) => result === null;
  if (adopted.some(isOpen))
    return { settled: [], open: { number: 0, round: undefined, calls: adopted }, isAdoptedOpen: true };
  const index = rounds.findIndex(({ calls }) => calls.some(isOpen));
  const settled = index === -1 ? rounds : rounds.slice(0, index);
  const round = rounds[settled.length];
  return { settled, open: { number: settled.length + 1, round, calls: round?.calls ?? [] }, isAdoptedOpen: false };
}

function answeredAt({ calls }: OpenBatch): (string | null)[] {
  return calls.map(({ result, completedAt }) => result && completedAt);
}

/** A call as it is read, without known arguments and a known result. */
type FreshCall = Omit<ToolCall, 'arguments'> & { arguments: string | null };

/** Puts the known parts of a batch in their positions. A result is written once, so its time identifies it. */
function withKnown(calls: FreshCall[], open: OpenBatch): ToolCall[] {
  return calls.map((call) => {
    const known = open.calls[call.index];
    const result = call.result ?? (call.completedAt !== null && known ? known.result : null);
    return { ...call, arguments: call.arguments ?? known?.arguments ?? '', result };
  });
}

/** Returns the commit times of a round and its calls. No other round has the same times. */
function timesOf(round: Round | undefined, adopted: ToolCall[]): SettledAt {
  return [round?.completedAt ?? null, (round?.calls ?? adopted).map(({ completedAt }) => completedAt)];
}

type SettledAt = [string | null, (string | null)[]];

/** The same times as they are stored, or null if no round is known. */
const settledAt = sql`case when settled >= 0 then json_build_array(
    (select completed_at from rounds where turn_id = turns.id and number = settled),
    coalesce((select json_agg(completed_at order by index) from tool_calls where turn_id = turns.id and round = settled), '[]')) end`;

const completedAt = sql`to_json(completed_at) #>> '{}'`;

/** The rounds after the settled rounds. An open round that was committed at the known time has only its number. */
const rounds = roundsAfter(
  sql`settled`,
  sql`case when rounds.number = settled + 1 and ${completedAt} = "openAt" then json_build_object('number', rounds.number)
    else to_json(shown) end`,
);

/** The calls after the settled rounds, without known results, and without the arguments of that open round. */
const calls = callsAfter(
  sql`settled`,
  shownCall(
    sql`case when round = settled + 1 and ${completedAt} = answered ->> index then null else result end`,
    sql`case when round = settled + 1 and (
        select ${completedAt} = "openAt" from rounds where turn_id = turns.id and number = settled + 1) then null
      else arguments end`,
  ),
);

const readChanges = readFor<TurnAsRead & { settledAt: SettledAt | null }>(
  sql`settled int, most bigint, "openAt" text, answered jsonb`,
  (input) => sql`
    with ${input}
    select "turnId", ${stateColumns}, ${rounds} as rounds, ${calls} as calls, ${compactions} as compactions,
      ${joinedOf(sql`turns`)}, ${settledAt} as "settledAt"
    from input join turn_states as turns on id = "turnId" where most is null or ${bytesAfter(sql`settled`)} <= most`,
);
