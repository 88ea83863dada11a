import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** Ages the responses that providers keep, and the rounds that wait for them. */
export async function ageResponses(db: Db, ms: number): Promise<void> {
  const earlier = sql`${ms}::double precision * interval '1 millisecond'`;
  await sql`update work set background = jsonb_set(background, '{at}',
    to_jsonb(((background ->> 'at')::timestamptz - ${earlier})::text)) where background is not null`.execute(db);
  await sql`update background_responses set created_at = created_at - ${earlier}, closed_at = closed_at - ${earlier},
    due_at = due_at - ${earlier}`.execute(db);
}
