import { type RawBuilder, sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import type { Round, ToolCall, Turn, Work } from '../turn/turn.ts';
import type { Db } from './database.ts';

type TurnColumns = Omit<Turn, 'rounds' | 'work'> & Work;
type Row = TurnColumns & { rounds: Omit<Round, 'calls'>[] | null; calls: ToolCall[] | null };

/** Reads whole turns, with their rounds and calls, in one statement. `where` and what follows it speak of `turns`. */
export async function selectTurns(db: Db, where: RawBuilder<unknown>): Promise<Turn[]> {
  const { rows } =
    await sql<Row>`select ${columns}, ${rounds} as rounds, ${calls} as calls from turns where ${where}`.execute(db);
  return rows.map(toTurn);
}

const columns = sql`
  id, project, conversation_id as "conversationId", position, status, config, input, priority, metadata, output, error,
  incomplete_reason as "incompleteReason", warnings, last_event as "lastEvent", created_at::text as "createdAt",
  started_at::text as "startedAt", completed_at::text as "completedAt",
  step, ring, at_head as "atHead", held_by as "heldBy", coalesce(held_until > now(), false) as held,
  (ring = 0 and held_by is null and status <> 'queued'
    and due_at > now() + ${2 * timing.heartbeatMs}::double precision * interval '1 millisecond') as quiet,
  coalesce(deadline_at <= now(), false) as overdue,
  extract(epoch from deadline_at - now())::double precision * 1000 as "deadlineInMs",
  starts, attempts, parked_ms as "parkedMs"`;

const rounds = sql`(
  select json_agg(json_build_object('number', number, 'text', text, 'finishReason', finish_reason,
    'finishReasonRaw', finish_reason_raw, 'usage', usage, 'opaque', opaque, 'requests', requests, 'attempts', attempts,
    'startedAt', started_at, 'completedAt', completed_at) order by number)
  from rounds where turn_id = turns.id)`;

const calls = sql`(
  select json_agg(json_build_object('round', round, 'index', index, 'id', id, 'name', name, 'arguments', arguments,
    'effect', effect, 'waitsFor', waits_for, 'expiresAt', expires_at, 'expired', coalesce(expires_at <= now(), false),
    'approval', approval, 'claimedBy', claimed_by, 'result', result) order by round, index)
  from tool_calls where turn_id = turns.id)`;

function toTurn({ rounds, calls, ...row }: Row): Turn {
  const { step, ring, atHead, heldBy, held, quiet, overdue, deadlineInMs, starts, attempts, parkedMs, ...turn } = row;
  const callsOf = Map.groupBy(calls ?? [], (call) => call.round);
  return {
    ...turn,
    rounds: (rounds ?? []).map((round) => ({ ...round, calls: callsOf.get(round.number) ?? [] })),
    work: { step, ring, atHead, heldBy, held, quiet, overdue, deadlineInMs, starts, attempts, parkedMs },
  };
}
