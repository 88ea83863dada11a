import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Db, Trx } from './tables.ts';

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
  const { rows: inserted } = await sql`
    insert into idempotency_keys (project, path, key, body_hash) values (${project}, ${path}, ${key}, ${bodyHash})
    on conflict (project, path, key) do nothing returning key`.execute(trx);
  if (inserted.length > 0) return { kind: 'new' };

  const [first] = await read(trx, selectKey(request));
  // The key expired between the two statements: it is new again.
  if (!first) return rememberIdempotencyKey(trx, request);
  return compare(first, bodyHash);
}

type KeyRow = { body_hash: string; status_code: number | null; resource_id: string | null };

function selectKey({ project, path, key }: IdempotencyKey) {
  return sql<KeyRow>`
    select body_hash, status_code, resource_id from idempotency_keys
    where project = ${project} and path = ${path} and key = ${key}`;
}

/** What was made and deleted since is what any body stands for: no request with that key makes anything again. */
function compare(first: KeyRow, bodyHash: string): Exclude<Remembered, { kind: 'new' }> {
  const { body_hash, status_code, resource_id } = first;
  if ((body_hash !== '' && body_hash !== bodyHash) || status_code === null || resource_id === null)
    return { kind: 'mismatch' };
  return { kind: 'replay', status: status_code, resourceId: resource_id };
}

/** What a key stands for by now, without recording it. */
export async function findIdempotencyKey(db: Db, request: IdempotencyKey): Promise<Remembered> {
  const [first] = await read(db, selectKey(request));
  return first ? compare(first, request.bodyHash) : { kind: 'new' };
}

/** Records what a new key stands for, before its transaction commits. */
export async function completeIdempotencyKey(
  trx: Trx,
  { project, path, key }: IdempotencyKey,
  made: { status: number; resourceId: string },
): Promise<void> {
  await sql`
    update idempotency_keys set status_code = ${made.status}, resource_id = ${made.resourceId}
    where project = ${project} and path = ${path} and key = ${key}`.execute(trx);
}

/** Deletes keys that are older than two days; the contract keeps them one. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await write(db, sql`delete from idempotency_keys where created_at < now() - interval '2 days'`);
}
