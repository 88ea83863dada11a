import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';

/** A request of a batch that has no answer yet. */
export type BatchRequest = {
  id: string;
  turnId: string;
  step: string;
  model: string;
  isAwaited: boolean;
  /** Whether its turn has a deadline. */
  hasDeadline: boolean;
};

/** Reads the requests of a batch without an answer, always in the same order. */
export async function readRequests(db: Db, batchId: string): Promise<BatchRequest[]> {
  const query = sql<BatchRequest>`
    select id, turn_id as "turnId", step, model, ${isAwaited} as "isAwaited",
      exists (select from work where work.id = turn_id and deadline_at is not null offset 0) as "hasDeadline"
    from batch_requests where batch_id = ${batchId} and state in ('waiting', 'sent') order by id`;
  return await read(db, query);
}
