import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import { firstIdAt } from '#core/id.ts';

/** Returns the id of a batch. A later batch has a higher number. */
export const idOfBatch = (number: number) => firstIdAt('batch', Date.UTC(2026, 0, 1) + number);

type Given = { number: number; state: 'open' | 'sent'; requests?: number };

/** Stores a batch, as a worker has left it. A sent batch has an id at its provider. */
export async function storeBatch(db: Db, { number, state, requests = 1 }: Given): Promise<string> {
  const id = idOfBatch(number);
  const sent = state === 'sent';
  await sql`insert into batches (id, provider, account, model, wire, keeps_key, state, provider_id, requests,
      created_at, asked_at, sent_at, refusals, refused_since, refusal_code)
    values (${id}, 'openai', 'acme', 'openai/test', 'openai', true, ${state}, ${sent ? 'batch_1' : null},
      ${sent ? requests : null}, now() - interval '90 seconds', ${sent ? sql`now()` : null}, ${sent ? sql`now()` : null},
      ${sent ? 0 : 2}, ${sent ? null : sql`now()`}, ${sent ? null : 'provider_rate_limited'})`.execute(db);
  return id;
}

/** Stores a request of an ended turn, in a batch or in none. */
export async function storeBatchRequest(
  db: Db,
  name: string,
  { batchId, state }: { batchId: string | null; state: string },
) {
  const model = name.startsWith('other') ? 'sim/demo' : 'openai/test';
  await sql`insert into batch_requests (id, turn_id, project, step, model, provider, wire, state, batch_id,
      entered_at)
    values (${name}, 'turn_1', 'default', 'r1', ${model}, ${model.split('/')[0]}, 'openai', ${state}, ${batchId},
      now() - interval '30 seconds')`.execute(db);
}
