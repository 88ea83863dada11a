import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { BatchAnswer } from '../../turn/batches/batch-answer.ts';
import { listed } from '../sql/listed.ts';
import type { Db } from '../tables.ts';

/** Reads the answers to requests, in the order of the requests. Null: there is no answer yet, or not any more. */
export async function readAnswers(db: Db, ids: readonly string[]): Promise<(BatchAnswer | null)[]> {
  const query = sql<{ id: string; answer: BatchAnswer }>`
    select request_id as id, answer from batch_answers where request_id in (${listed(ids)})`;
  const answers = new Map((await read(db, query)).map(({ id, answer }) => [id, answer]));
  return ids.map((id) => answers.get(id) ?? null);
}
