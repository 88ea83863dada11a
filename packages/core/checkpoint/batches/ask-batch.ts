import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';
import type { OwnBatch } from './postpone-batch.ts';

/** The requests of a batch that are sent, and those that did not fit. */
export type AskedBatch = OwnBatch & { sent: readonly string[]; left: readonly string[] };

/** The batch was not committed, so its transaction is undone. */
class NotAsked extends Error {}

/**
 * Commits a batch before it can exist at its provider. Its other requests wait for another batch, or are removed if no
 * round waits for them. Returns false without a write if the owner has lost the batch, if a request is missing, or if
 * another batch of the account has to be confirmed first (R41, R42).
 */
export async function askBatch(db: Db, batch: AskedBatch): Promise<boolean> {
  try {
    return await db.transaction().execute(async (trx) => {
      await lockAccount(trx, batch.id);
      if ((await ask(trx, batch)) !== batch.sent.length || batch.sent.length === 0) throw new NotAsked();
      return true;
    });
  } catch (error) {
    if (error instanceof NotAsked) return false;
    throw error;
  }
}

/** Locks the account of a batch if it may have one unconfirmed batch only. */
async function lockAccount(trx: Trx, id: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('pawl.batches ' || account)) from batches
    where id = ${id} and not keeps_key`.execute(trx);
}

/** Returns the number of requests that are now sent. */
async function ask(trx: Trx, { id, owner, sent, left }: AskedBatch): Promise<number> {
  const ofBatch = sql`batch_requests.batch_id = batch.id and batch_requests.state = 'waiting'`;
  const { rows } = await sql`
    with batch as (
      update batches set state = 'asked', asked_at = now(), requests = ${sent.length}
      where id = ${id} and owner = ${owner} and state = 'open' and ${sent.length}::int > 0
        and (keeps_key or not exists (
        select from batches as other where other.account = batches.account and other.state = 'asked'))
      returning id
    ),
    others as materialized (
      select batch_requests.id, batch_requests.id in (${listed(left)}) or ${isAwaited} as stays
      from batch join batch_requests on ${ofBatch}
      where batch_requests.id not in (${listed(sent)})
    ),
    freed as (update batch_requests set batch_id = null from others where batch_requests.id = others.id and stays),
    gone as (delete from batch_requests using others where batch_requests.id = others.id and not stays)
    update batch_requests set state = 'sent' from batch where ${ofBatch} and batch_requests.id in (${listed(sent)})
    returning batch_requests.id`.execute(trx);
  return rows.length;
}
