import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { nameStep } from '../../turn/step.ts';
import { isFreeFor, leaseFor } from '../sql/lease.ts';
import type { Db } from '../tables.ts';

export type Claim = { turnId: string; round: number; runId: string; indexes: number[] };

/**
 * Claims `at_most_once` calls before they are made, together with the lease (R6). A claim is durable, and written
 * under the lock of the row of work. No other run may have the lease, and the call no claim or result. Returns the
 * indexes of the claimed calls.
 */
export async function claimCalls(db: Db, { turnId, round, runId, indexes }: Claim): Promise<number[]> {
  const statement = sql<{ index: number }>`
    with target as materialized (
      select id from work where id = ${turnId} and step = ${nameStep('batch', round)} and ${isFreeFor(sql`${runId}`)}
      for no key update
    ),
    claimed as (
      update tool_calls set claimed_by = ${runId}, claimed_at = now() from target
      where turn_id = target.id and round = ${round} and index in (select value::int from json_array_elements_text(${indexes}::json))
        and result is null and (claimed_by is null or claimed_by = ${runId})
      returning index
    ),
    leased as (
      update work set ${leaseFor(sql`${runId}`)}, starts = starts + (lease_owner is distinct from ${runId})::int
      from target where work.id = target.id and exists (select from claimed)
    )
    select index from claimed order by index`;
  const rows = await write(db, statement);
  return rows.map((row) => row.index);
}
