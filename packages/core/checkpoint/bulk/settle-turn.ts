import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db, Trx } from '../tables.ts';
import { MAX_BULK_ERRORS } from './bulk.ts';

/**
 * Locks an unsettled turn of a bulk, in the transaction that treats the turn. Waits for another worker, and returns
 * false if that worker has settled the turn (R34).
 */
export async function lockBulkTurn(trx: Trx, bulkId: string, turnId: string): Promise<boolean> {
  const { rows } = await sql`
    select from bulk_turns where bulk_id = ${bulkId} and turn_id = ${turnId} and outcome is null for update`.execute(
    trx,
  );
  return rows.length > 0;
}

/** Records the outcome of a bulk's turn: `done`, or the code of the refusal. Commits with the treatment (R34). */
export async function settleBulkTurn(
  db: Db,
  { bulkId, turnId, outcome }: { bulkId: string; turnId: string; outcome: string },
): Promise<void> {
  const statement = sql`
    update bulk_turns set outcome = ${outcome}
    where bulk_id = ${bulkId} and turn_id = ${turnId} and outcome is null`;
  await write(db, statement);
}

/** Counts the settled turns of a bulk in one statement. The bulk is due again, or completed if no turn is left. */
export async function countSettledTurns(db: Db, bulkId: string): Promise<void> {
  const statement = sql`
    with settled as (
      delete from bulk_turns where bulk_id = ${bulkId} and outcome is not null returning turn_id, outcome
    ),
    counted as (
      select count(*) filter (where outcome = 'done')::int as done, count(*) filter (where outcome <> 'done')::int as failed,
        coalesce(json_agg(json_build_object('turn_id', turn_id, 'code', outcome) order by turn_id desc)
          filter (where outcome <> 'done'), '[]') as errors
      from settled
    )
    update bulks set done = bulks.done + counted.done, failed = bulks.failed + counted.failed,
      errors = (
        select coalesce(json_agg(error order by rank, position), '[]') from (
          select 0 as rank, position, error from json_array_elements(bulks.errors) with ordinality as kept (error, position)
          union all
          select 1, position, error from json_array_elements(counted.errors) with ordinality as new (error, position)
          order by 1, 2 limit ${MAX_BULK_ERRORS}) as first),
      due_at = case when bulks.done + bulks.failed + counted.done + counted.failed < matched then now() end,
      completed_at = case when bulks.done + bulks.failed + counted.done + counted.failed = matched then now() end
    from counted where id = ${bulkId} and completed_at is null`;
  await write(db, statement);
}
