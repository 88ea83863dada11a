import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { completeIdempotencyKey, rememberIdempotencyKey } from '#core/checkpoint/idempotency.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../context.ts';
import type { ApiEnv } from './router.ts';

/** What a creating request made: the status of its answer, and the resource that the answer shows. */
export type Made = { status: 200 | 201 | 202; resourceId: string };

/** The work of a creating request: one statement that commits by itself, or several that commit together. */
export type Making<M extends Made> =
  | { atOnce(db: Db): Promise<M>; together?: never }
  | { together(trx: Trx): Promise<M>; atOnce?: never };

/**
 * Does the work of a creating request once per Idempotency-Key. The key is written in the work's own transaction, so
 * a refused request leaves no key and a duplicate in flight waits for the first. A replay answers with what was made then.
 */
export async function withIdempotencyKey<M extends Made>(
  c: Context<ApiEnv>,
  { db }: Pick<ApiContext, 'db'>,
  making: Making<M>,
): Promise<M | (Made & { isReplay: true })> {
  const key = readKey(c.req.header('idempotency-key'));
  const make = (trx: Trx) => (making.together ? making.together(trx) : making.atOnce(trx));
  if (key === undefined) return making.atOnce ? making.atOnce(db) : db.transaction().execute(make);

  const request = { project: c.get('project'), path: c.req.path, key, bodyHash: hash(await c.req.text()) };
  return db.transaction().execute(async (trx) => {
    const remembered = await rememberIdempotencyKey(trx, request);
    if (remembered.kind === 'mismatch')
      throw new RequestRefused(409, 'idempotency_key_reused', REUSED, 'Idempotency-Key');
    if (remembered.kind === 'replay') {
      c.header('Idempotency-Replayed', 'true');
      return {
        status: remembered.status as Made['status'],
        resourceId: remembered.resourceId,
        isReplay: true as const,
      };
    }
    const made = await make(trx);
    await completeIdempotencyKey(trx, request, made);
    return made;
  });
}

const REUSED = 'This Idempotency-Key was used with another body. Send the same body, or a fresh key.';

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = 'Give an Idempotency-Key of 1 to 255 visible ASCII characters.';
  throw new RequestRefused(400, 'invalid_idempotency_key', message, 'Idempotency-Key');
}

function hash(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
