import { type Selectable, sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Db, Tables, Trx } from './tables.ts';

/** A client's Idempotency-Key; `bodyHash` shows whether the same key came with another body. */
export type IdempotencyKey = { project: string; path: string; key: string; bodyHash: string };

/** Whether the key is new; else what it stands for. The statement waits for a request in flight with the same key. */
export type Remembered =
  | { kind: 'new' }
  | { kind: 'replay'; status: number; resourceId: string }
  | { kind: 'mismatch' };

/** Records the key in the transaction that does the work, so that both are there or neither. */
export async function rememberIdempotencyKey(trx: Trx, request: IdempotencyKey): Promise<Remembered> {
  const { project, path, key, bodyHash } = request;
  const inserted = await trx
    .insertInto('idempotency_keys')
    .values({ project, path, key, body_hash: bodyHash, status_code: null, resource_id: null })
    .onConflict((conflict) => conflict.columns(['project', 'path', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  if (inserted) return { kind: 'new' };

  const first = await trx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status_code', 'resource_id'])
    .where('project', '=', project)
    .where('path', '=', path)
    .where('key', '=', key)
    .executeTakeFirst();
  // The key expired between the two statements: it is new again.
  if (!first) return rememberIdempotencyKey(trx, request);
  return compare(first, bodyHash);
}

type KeyRow = Pick<Selectable<Tables['idempotency_keys']>, 'body_hash' | 'status_code' | 'resource_id'>;

/** What was made and deleted since is what any body stands for: no request with that key makes anything again. */
function compare(first: KeyRow, bodyHash: string): Exclude<Remembered, { kind: 'new' }> {
  const { body_hash, status_code, resource_id } = first;
  if ((body_hash !== '' && body_hash !== bodyHash) || status_code === null || resource_id === null)
    return { kind: 'mismatch' };
  return { kind: 'replay', status: status_code, resourceId: resource_id };
}

/** What a key stands for by now, without recording it. */
export async function findIdempotencyKey(
  db: Db,
  { project, path, key, bodyHash }: IdempotencyKey,
): Promise<Remembered> {
  const query = db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status_code', 'resource_id'])
    .where('project', '=', project)
    .where('path', '=', path)
    .where('key', '=', key);
  const [first] = await read(db, query);
  return first ? compare(first, bodyHash) : { kind: 'new' };
}

/** Records what a new key stands for, before its transaction commits. */
export async function completeIdempotencyKey(
  trx: Trx,
  { project, path, key }: IdempotencyKey,
  made: { status: number; resourceId: string },
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ status_code: made.status, resource_id: made.resourceId })
    .where('project', '=', project)
    .where('path', '=', path)
    .where('key', '=', key)
    .execute();
}

/** Deletes keys that are older than two days; the contract keeps them one. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await write(db, sql`delete from idempotency_keys where created_at < now() - interval '2 days'`);
}
