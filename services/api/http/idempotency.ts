import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import {
  completeIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyKey,
  type Remembered,
  rememberIdempotencyKey,
} from '#core/checkpoint/idempotency.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { canonicalJson } from '#core/json.ts';
import type { Created, Creation } from '../../start/creation.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import type { ApiEnv } from './router.ts';

/** The result of an earlier request with the same key. */
type Replayed = Created & { isReplay: true };

/**
 * Does the work of a creating request once per Idempotency-Key. The key is written in the transaction of the work. So
 * a refused request leaves no key, and a concurrent duplicate waits for the first. A replay answers with the first
 * result.
 */
export async function withIdempotencyKey<M extends Created>(
  c: Context<ApiEnv>,
  { db }: { db: Db },
  creation: Creation<M>,
): Promise<M | Replayed> {
  if (c.req.header('idempotency-key') === undefined && creation.alone) return creation.alone(db);
  return db.transaction().execute(await makeOnce(c, creation));
}

/** Does the same work as part of a transaction that a failure undoes. */
export async function makeOnce<M extends Created>(
  c: Context<ApiEnv>,
  creation: Creation<M>,
): Promise<(trx: Trx) => Promise<M | Replayed>> {
  const key = readKey(c.req.header('idempotency-key'));
  const make = (trx: Trx) => (creation.inTransaction ? creation.inTransaction(trx) : creation.alone(trx));
  if (key === undefined) return make;

  const request = await keyOf(c, key);
  return async (trx) => {
    const remembered = await rememberIdempotencyKey(trx, request);
    if (remembered.kind === 'mismatch') throw refused('idempotency_key_reused');
    if (remembered.kind === 'replay') return replayOf(c, remembered);
    const created = await make(trx);
    await completeIdempotencyKey(trx, request, created);
    return created;
  };
}

/**
 * Finds the result of the first request with this key. It is read first, because resources in the body may be
 * deleted.
 */
export async function findReplay(c: Context<ApiEnv>, { db }: { db: Db }): Promise<Replayed | undefined> {
  const key = readKey(c.req.header('idempotency-key'));
  const found = key === undefined ? undefined : await findIdempotencyKey(db, await keyOf(c, key));
  return found?.kind === 'replay' ? replayOf(c, found) : undefined;
}

async function keyOf(c: Context<ApiEnv>, key: string): Promise<IdempotencyKey> {
  return { project: c.get('project'), path: c.req.path, key, bodyHash: hash(canonicalJson(await c.req.text())) };
}

function replayOf(c: Context<ApiEnv>, { status, resourceId }: Extract<Remembered, { kind: 'replay' }>): Replayed {
  c.header('Idempotency-Replayed', 'true');
  return { status: status as Created['status'], resourceId, isReplay: true };
}

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw refused('invalid_idempotency_key');
}

/** Equal JSON is the same body, in any key order and layout. */
function hash(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
