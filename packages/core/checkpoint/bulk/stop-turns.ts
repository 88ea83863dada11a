import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { dueAtDeadline } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/** The number of turns in a commit. Their rows stay locked until the commit ends. */
const AT_ONCE = 500;

/**
 * Stops turns of a cancelling bulk before the first cancellation. Turns that have not begun lose their slot and get
 * no other, even at the head of their conversation (R27, R34). Skips a locked turn, since it is about to begin. Skips
 * a treated turn, since it would stay stopped if its cancellation failed. Returns whether any bulk may have more
 * turns to stop.
 */
export async function stopBulkTurns(db: Db, atOnce = AT_ONCE): Promise<boolean> {
  const statement = sql<{ goesOn: boolean }>`
    with taken as materialized (
      select id, stops_after from bulks where due_at is not null and stops_after is not null
      order by due_at limit 1 for no key update skip locked
    ),
    batch as materialized (
      select turn_id from taken cross join lateral (
        select turn_id from bulk_turns where bulk_id = taken.id and turn_id > stops_after and outcome is null
        order by turn_id limit ${atOnce}::int for no key update skip locked) as next
    ),
    free as materialized (
      select id from work where id in (select turn_id from batch) and status = 'queued' and lease_owner is null
        and slot is distinct from 'stopped' for no key update skip locked
    ),
    stopped as (update work set slot = 'stopped', due_at = ${dueAtDeadline} where id in (select id from free))
    update bulks set stops_after = (select max(turn_id) from batch) from taken where bulks.id = taken.id
    returning true as "goesOn"`;
  const [row] = await write(db, statement);
  return row?.goesOn ?? false;
}

/** Releases a stopped turn after its cancellation failed. The turn requests a slot as after a wait (R27). */
export async function releaseStoppedTurn(db: Db, turnId: string): Promise<void> {
  const statement = sql`
    update work set slot = 'none', due_at = case when at_head then now() else ${dueAtDeadline} end
    where id = ${turnId} and slot = 'stopped'`;
  await write(db, statement);
}
