import type { Trx } from './database.ts';

/** A caller's Idempotency-Key; `bodyHash` tells whether the same key came with another body. */
export type RequestKey = { project: string; path: string; key: string; bodyHash: string };

/** Whether the key is new to us; else what it stood for. A request in flight with the same key is waited for. */
export type Remembered =
  | { kind: 'new' }
  | { kind: 'replay'; status: number; resourceId: string }
  | { kind: 'mismatch' };

/** Writes the key down in the transaction that does the work, so that both are there or neither. */
export async function rememberKey(trx: Trx, request: RequestKey): Promise<Remembered> {
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
  // One so old that it was forgotten between the two statements is new again.
  if (!first) return rememberKey(trx, request);
  if (first.body_hash !== bodyHash || first.status_code === null || first.resource_id === null)
    return { kind: 'mismatch' };
  return { kind: 'replay', status: first.status_code, resourceId: first.resource_id };
}

/** Notes what a new key stands for, before its transaction commits. */
export async function completeKey(
  trx: Trx,
  { project, path, key }: RequestKey,
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
