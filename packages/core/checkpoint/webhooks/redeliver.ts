import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { hasEnabledEndpoint } from '../sql/deliveries.ts';
import { hasVisibleTurn } from '../sql/visible.ts';
import type { Db } from '../tables.ts';

/**
 * Starts a delivery again from its first attempt, with the same event id. Earlier attempts are only in the log.
 * Returns false if the delivery does not exist, or if its endpoint is disabled or deleted.
 */
export async function redeliver(db: Db, project: string, id: string): Promise<boolean> {
  const statement = sql`
    update deliveries set status = 'pending', attempts = 0, next_attempt_at = now(), due_at = now(), lease_until = null, delivered_at = null, last_status_code = null, last_error = null
    where id = ${id} and project = ${project} and ${hasVisibleTurn}
      and (endpoint_id is null or ${hasEnabledEndpoint})
    returning id`;
  const rows = await write(db, statement);
  return rows.length > 0;
}
