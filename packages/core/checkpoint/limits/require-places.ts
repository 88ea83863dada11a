import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import { dueAtDeadline } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Db } from '../tables.ts';

/** Turns of one commit, whose rows are locked until it is over. */
const PORTION = 500;

/**
 * From now on active turns that were started while none needed a place need one too (R27). Those that have begun keep
 * theirs, others ask for it under a new generation: their jobs find that they have to wait. In portions: a backlog in one
 * commit would make ends, cancellations and leases of all its turns wait.
 */
export async function requirePlaces(db: Db): Promise<void> {
  const rows = await read(db, sql<{ id: string }>`select id from work where place is null`);
  const found = rows.map(({ id }) => id);
  for (let from = 0; from < found.length; from += PORTION) {
    const statement = sql`
      update work set place = ${place}, due_at = case when ${place} = 'wanted' then ${dueAtDeadline} else due_at end,
        generation = generation + (${place} = 'wanted')::int
      where id = any(array(
        select id from work where id in (${listed(found.slice(from, from + PORTION))}) and place is null
        for no key update skip locked))`;
    await write(db, statement);
  }
}

const place = sql`case when not at_head or status = 'requires_action' or retry_at > now() then 'none'
  when status = 'queued' and lease_owner is null then 'wanted' else 'held' end`;

/** Returns whether any turn holds a place or wants one. */
export async function arePlacesUsed(db: Db): Promise<boolean> {
  const query = sql<{ used: boolean }>`select exists (select from work where place = 'held')
      or exists (select from work where place = 'wanted') as used`;
  const [row] = await read(db, query);
  return row?.used ?? false;
}
