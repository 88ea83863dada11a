import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';
import type { OwnBatch } from './postpone-batch.ts';
import { unsent } from './refuse-batch.ts';

/**
 * Divides a batch that is too large: the later half of its requests gets a new batch. Both are due now. Returns false
 * if the owner has lost the batch, or if it has a single request (R42).
 */
export async function splitBatch(db: Db, { id, owner, newId }: OwnBatch & { newId: string }): Promise<boolean> {
  const statement = sql`
    with part as materialized (
      select id, row_number() over (order by id) > (count(*) over () + 1) / 2 as is_later
      from batch_requests where batch_id = ${id} and state in ('waiting', 'sent')
    ),
    batch as (
      update batches set ${unsent}, due_at = now(), refusals = refusals + 1
      where id = ${id} and owner = ${owner} and state <> 'collected' and (select bool_or(is_later) from part)
      returning *
    ),
    added as (
      insert into batches (id, provider, account, model, wire, keeps_key, refusals, refused_since, refusal_code)
      select ${newId}, provider, account, model, wire, keeps_key, refusals, refused_since, refusal_code from batch
    ),
    moved as (
      update batch_requests set state = 'waiting', batch_id = case when is_later then ${newId} else batch_id end
      from part, batch where batch_requests.id = part.id and batch_requests.state in ('waiting', 'sent')
    )
    select id from batch`;
  return (await write(db, statement)).length > 0;
}
