import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** A batch in a list. */
export type ListedBatch = {
  id: string;
  provider: string;
  /** The model of its requests, as `provider/model`. */
  model: string;
  state: 'open' | 'asked' | 'sent' | 'collected';
  /** All requests of the batch, those without an answer, and those with an answer. */
  requests: number;
  waiting: number;
  answered: number;
  refusals: number;
  refusalCode: string | null;
  createdAt: string;
  sentAt: string | null;
  ageMs: number;
};

/** Requests of a model that are in no batch yet. */
export type WaitingRequests = { provider: string; model: string; waiting: number; oldestMs: number };

/** A page of batches, the newest first, and the requests of all models that are in no batch. */
export type BatchPage = { batches: ListedBatch[]; hasMore: boolean; lanes: WaitingRequests[] };

const ageOf = (column: string) => sql`(extract(epoch from now() - ${sql.ref(column)}) * 1000)::double precision`;

/** Lists the batches after the id `after`. */
export async function listBatches(
  db: Db,
  { limit, after = null }: { limit: number; after?: string | null },
): Promise<BatchPage> {
  const [rows, lanes] = await Promise.all([readBatches(db, { limit, after }), readLanes(db)]);
  return { batches: rows.slice(0, limit), hasMore: rows.length > limit, lanes };
}

async function readBatches(db: Db, { limit, after }: { limit: number; after: string | null }): Promise<ListedBatch[]> {
  const query = sql<ListedBatch>`
    select id, provider, model, state, number as requests, waiting, number - waiting as answered, refusals,
      refusal_code as "refusalCode", created_at::text as "createdAt", sent_at::text as "sentAt",
      ${ageOf('created_at')} as "ageMs"
    from (
      select * from batches where ${after}::text is null or id < ${after}::text
      order by id desc limit ${limit + 1}) as batch
    cross join lateral (
      select count(*) filter (where batch_requests.state <> 'answered')::int as waiting,
        coalesce(batch.requests, count(*)::int) as number
      from batch_requests where batch_id = batch.id) as counted
    order by id desc`;
  return await read(db, query);
}

async function readLanes(db: Db): Promise<WaitingRequests[]> {
  const query = sql<WaitingRequests>`
    select provider, model, count(*)::int as waiting, ${sql`max(${ageOf('entered_at')})`} as "oldestMs"
    from batch_requests where batch_id is null group by provider, model order by provider, model`;
  return await read(db, query);
}
