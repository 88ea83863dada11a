import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';
import type { OwnBatch } from './postpone-batch.ts';

/** A batch that its provider has refused as a whole, and the time until Pawl sends it again. */
export type RefusedBatch = OwnBatch & { code: string; delayMs: number };

/** The columns of a batch that does not exist at its provider. */
export const unsent = sql`state = 'open', provider_id = null, files = '[]', requests = null, asked_at = null,
        sent_at = null, cancelled_at = null, polls = 0, lost_reads = 0, owner = null`;

/** Postpones a refused batch with all its requests. Returns false if the owner has lost it (R42, R43). */
export async function refuseBatch(db: Db, { id, owner, code, delayMs }: RefusedBatch): Promise<boolean> {
  const statement = sql`
    with batch as (
      update batches set ${unsent}, due_at = ${inMs(delayMs)}, refusals = refusals + 1, refusal_code = ${code},
        refused_since = coalesce(refused_since, now())
      where id = ${id} and owner = ${owner} and state <> 'collected' returning id
    ),
    waiting as (
      update batch_requests set state = 'waiting' from batch where batch_id = batch.id and state = 'sent'
    )
    select id from batch`;
  return (await write(db, statement)).length > 0;
}
