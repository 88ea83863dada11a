import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import { ADOPTED_STEP } from '../../turn/step.ts';
import type { Approval } from '../../turn/turn.ts';
import { isTurnId, rawJson } from '../sql/statement.ts';
import type { Db, Trx } from '../tables.ts';

/** A call that an earlier turn handed over for approval, by its position there. `id` is its id in the new turn. */
export type AllowedCall = { turnId: string; round: number; index: number; id: string; approval: Approval };

/**
 * Adopts the calls that a new turn runs first, in their order, and makes their batch its step. A call is adopted only
 * once, even if the adopting turn fails: the first transaction wins, and a second waits (R22). Returns the adopted
 * positions in `calls`. If any is missing, the caller must roll back.
 */
export async function adoptCalls(
  trx: Trx,
  { turnId, calls }: { turnId: string; calls: AllowedCall[] },
): Promise<number[]> {
  const allowed = calls.map((call, place) => ({ ...call, approval: rawJson(call.approval), place }));
  const statement = sql<{ place: number }>`
    with allowed as materialized (
      select * from json_to_recordset(${allowed}::json)
        as allowed ("turnId" text, round int, index int, id text, approval text, place int)
      where ${isTurnId(sql`"turnId"`)}
    ),
    free as materialized (
      select call.turn_id, call.round, call.index, allowed.id as own_id, allowed.approval as own_approval, place
      from allowed join tool_calls as call
        on call.turn_id = "turnId" and call.round = allowed.round and call.index = allowed.index
      where adopted_by is null
      order by call.turn_id, call.round, call.index
      for no key update of call
    ),
    adopted as (
      update tool_calls as call set adopted_by = ${turnId} from free
      where call.turn_id = free.turn_id and call.round = free.round and call.index = free.index
      returning place, own_id, own_approval, call.name, call.arguments, call.effect
    ),
    calls as (
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect, approval)
      select ${turnId}, 0, place, own_id, name, arguments, effect, own_approval::json from adopted
    ),
    turn as (
      update work set step = ${ADOPTED_STEP}, open_calls = (select count(*) from adopted)
      where id = ${turnId} and exists (select from adopted)
    )
    select place from adopted order by place`;
  const rows = await write(trx, statement);
  return rows.map(({ place }) => place);
}

/** Copies the adopted calls of a turn to its rerun, each with its result. */
export async function copyAdoptedCalls(
  trx: Trx,
  { turnId, originId }: { turnId: string; originId: string },
): Promise<void> {
  await sql`
    insert into tool_calls (turn_id, round, index, id, name, arguments, effect, approval, result, full_output, completed_at)
    select ${turnId}, round, index, id, name, arguments, effect, approval, jsonb_set(result::jsonb, '{cached}', 'true')::json,
      full_output, now()
    from tool_calls where turn_id = ${originId} and round = 0`.execute(trx);
}

/** Returns the turn that adopted a call, null if no turn did, or undefined if the call does not exist. */
export async function findAdopter(
  db: Db,
  { turnId, round, index }: Pick<AllowedCall, 'turnId' | 'round' | 'index'>,
): Promise<string | null | undefined> {
  const query = sql<{ adopted_by: string | null }>`
    select adopted_by from tool_calls where turn_id = ${turnId} and round = ${round} and index = ${index}`;
  return (await read(db, query))[0]?.adopted_by;
}
