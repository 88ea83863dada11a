import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** The step in which provider limits count their bookings. */
const BUCKET_MS = 250;

/** Ages everything that is booked under provider limits, and the turns that wait for them. */
export async function ageLimits(db: Db, ms: number): Promise<void> {
  const buckets = Math.round(ms / BUCKET_MS);
  const aged = (column: 'requests' | 'tokens') =>
    sql`(select coalesce(json_object_agg(key::bigint - ${buckets}::bigint, value), '{}') from json_each(${sql.ref(column)}))`;
  await sql`update provider_limits set requests = ${aged('requests')}, tokens = ${aged('tokens')}`.execute(db);
  const earlier = sql`${ms}::double precision * interval '1 millisecond'`;
  await sql`update provider_waits set since = since - ${earlier}, woken_at = woken_at - ${earlier}`.execute(db);
}
