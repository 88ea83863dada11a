import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** Ages the batches at providers, and the requests that wait for one. */
export async function ageBatches(db: Db, ms: number): Promise<void> {
  const earlier = sql`${ms}::double precision * interval '1 millisecond'`;
  await sql`update batches set created_at = created_at - ${earlier}, asked_at = asked_at - ${earlier},
    sent_at = sent_at - ${earlier}, cancelled_at = cancelled_at - ${earlier}, ended_at = ended_at - ${earlier},
    refused_since = refused_since - ${earlier}, due_at = due_at - ${earlier}`.execute(db);
  await sql`update batch_requests set entered_at = entered_at - ${earlier}`.execute(db);
}
