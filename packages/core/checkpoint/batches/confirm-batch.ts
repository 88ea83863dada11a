import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';
import type { OwnBatch } from './postpone-batch.ts';

/** A batch that its provider has, with the provider's ids, and the time until the first look. */
export type ConfirmedBatch = OwnBatch & { providerId: string; files: readonly string[]; delayMs: number };

/** Commits the provider's id of a batch, and releases the batch. Returns false if the owner has lost it (R42). */
export async function confirmBatch(db: Db, batch: ConfirmedBatch): Promise<boolean> {
  const { id, owner, providerId, files, delayMs } = batch;
  const statement = sql`
    update batches set state = 'sent', provider_id = ${providerId}, files = ${files}::json, sent_at = now(), polls = 0,
      owner = null, due_at = ${inMs(delayMs)}
    where id = ${id} and owner = ${owner} and state = 'asked' returning id`;
  return (await write(db, statement)).length > 0;
}

/** Makes a batch due again that its provider does not have. Returns false if the owner has lost it. */
export async function missBatch(db: Db, { id, owner }: OwnBatch): Promise<boolean> {
  const statement = sql`
    with batch as (
      update batches set state = 'open', asked_at = null, requests = null, owner = null, due_at = now()
      where id = ${id} and owner = ${owner} and state = 'asked' returning id
    ),
    waiting as (
      update batch_requests set state = 'waiting' from batch where batch_id = batch.id and state = 'sent'
    )
    select id from batch`;
  return (await write(db, statement)).length > 0;
}
