import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';
import type { OwnBatch } from './postpone-batch.ts';

/**
 * Commits that all answers of a batch are stored, so that it is deleted at its provider with these files. It is due
 * now. Returns false if the owner has lost it, or if a request has no answer (R44).
 */
export async function collectBatch(
  db: Db,
  { id, owner, files }: OwnBatch & { files: readonly string[] },
): Promise<boolean> {
  const statement = sql`
    update batches set state = 'collected', files = ${files}::json, ended_at = now(), owner = null, due_at = now()
    where id = ${id} and owner = ${owner} and state = 'sent' and not exists (
      select from batch_requests where batch_id = batches.id and state <> 'answered' offset 0)
    returning id`;
  return (await write(db, statement)).length > 0;
}

/**
 * Removes the row of a batch that its provider has deleted, or that was not sent. Requests of a batch that was not sent
 * wait for another batch. Returns false if the owner has lost it.
 */
export async function removeBatch(db: Db, { id, owner }: OwnBatch): Promise<boolean> {
  const statement = sql`
    with gone as (
      delete from batches where id = ${id} and owner = ${owner} and state in ('open', 'collected') returning id
    ),
    freed as (
      update batch_requests set batch_id = null from gone where batch_id = gone.id and state = 'waiting'
    )
    select id from gone`;
  return (await write(db, statement)).length > 0;
}
