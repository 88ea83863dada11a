import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Db, Trx } from './tables.ts';

/** A client's Idempotency-Key. `bodyHash` shows whether a repeated key has another body. */
export type IdempotencyKey = { project: string; path: string; key: string; bodyHash: string };

/** The earlier use of a key: none, a response to replay, or a request with another body. */
export type Remembered =
  | { kind: 'new' }
  | { kind: 'replay'; status: number; resourceId: string }
  | { kind: 'mismatch' };

/**
 * Records the key in the transaction that does the work, so that both commit or neither. Waits for a request in
 * flight with the same key.
 */
export async function rememberIdempotencyKey(trx: Trx, request: IdempotencyKey): Promise<Remembered> {
  const { project, path, key, bodyHash } = request;
  const { rows: inserted } = await sql`
    insert into idempotency_keys (project, path, key, body_hash) values (${project}, ${path}, ${key}, ${bodyHash})
    on conflict (project, path, key) do nothing returning key`.execute(trx);
  if (inserted.length > 0) return { kind: 'new' };

  const [first] = await read(trx, selectKey(request));
  // The key expired between the two statements, so it is new again.
  if (!first) return rememberIdempotencyKey(trx, request);
  return compare(first, bodyHash);
}

type KeyRow = { body_hash: string; status_code: number | null; resource_id: string | null };

function selectKey({ project, path, key }: IdempotencyKey) {
  return sql<KeyRow>`
    select body_hash, status_code, resource_id from idempotency_keys
    where project = ${project} and path = ${path} and key = ${key}`;
}

/**
 * Compares a request with a recorded key. An empty `body_hash`, after a delete, matches every body, so the key never
 * creates again.
 */
function compare(first: KeyRow, bodyHash: string): Exclude<Remembered, { kind: 'new' }> {
  const { body_hash, status_code, resource_id } = first;
  if ((body_hash !== '' && body_hash !== bodyHash) || status_code === null || resource_id === null)
    return { kind: 'mismatch' };
  return { kind: 'replay', status: status_code, resourceId: resource_id };
}

/** Returns the earlier use of a key, without recording the key. */
export async function findIdempotencyKey(db: Db, request: IdempotencyKey): Promise<Remembered> {
  const [first] = await read(db, selectKey(request));
  return first ? compare(first, request.bodyHash) : { kind: 'new' };
}

/** Records the response of a new key, before its transaction commits. */
export async function completeIdempotencyKey(
  trx: Trx,
  { project, path, key }: IdempotencyKey,
  created: { status: number; resourceId: string },
): Promise<void> {
  await sql`
    update idempotency_keys set status_code = ${created.status}, resource_id = ${created.resourceId}
    where project = ${project} and path = ${path} and key = ${key}`.execute(trx);
}

/** Deletes keys that are older than two days. Clients may rely on one day. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await write(db, sql`delete from idempotency_keys where created_at < now() - interval '2 days'`);
}
