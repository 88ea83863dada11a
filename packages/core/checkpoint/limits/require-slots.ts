import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import { dueAtDeadline } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Db } from '../tables.ts';

/** The number of turns in a commit. Their rows stay locked until the commit ends. */
const BATCH_SIZE = 500;

/**
 * Requires a slot of active turns that started without a slot (R27). Begun turns hold their slots. Other turns
 * request a slot under a new generation, so their jobs find that they must wait. Commits in batches, since one commit
 * of a backlog would block ends, cancellations and leases of all its turns.
 */
export async function requireSlots(db: Db): Promise<void> {
  const rows = await read(db, sql<{ id: string }>`select id from work where slot is null`);
  const found = rows.map(({ id }) => id);
  for (let from = 0; from < found.length; from += BATCH_SIZE) {
    const statement = sql`
      update work set slot = ${slot}, due_at = case when ${slot} = 'wanted' then ${dueAtDeadline} else due_at end,
        generation = generation + (${slot} = 'wanted')::int
      where id = any(array(
        select id from work where id in (${listed(found.slice(from, from + BATCH_SIZE))}) and slot is null
        for no key update skip locked))`;
    await write(db, statement);
  }
}

const slot = sql`case when not at_head or status = 'requires_action' or retry_at > now() then 'none'
  when status = 'queued' and lease_owner is null then 'wanted' else 'held' end`;

export async function areSlotsUsed(db: Db): Promise<boolean> {
  const query = sql<{ used: boolean }>`select exists (select from work where slot = 'held')
      or exists (select from work where slot = 'wanted') as used`;
  const [row] = await read(db, query);
  return row?.used ?? false;
}
