import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Db, Trx } from '#core/checkpoint/database.ts';
import { completeKey, rememberKey } from '#core/checkpoint/remember-key.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiEnv } from './api-env.ts';
import type { ApiContext } from './context.ts';

/** What a creating request made: how it is answered, and which resource the answer shows. */
export type Made = { status: 200 | 201 | 202; resourceId: string };

/**
 * The work of a creating request: one statement that is a whole by itself, or several that have to commit together.
 */
export type Making<M extends Made> =
  | { atOnce(db: Db): Promise<M>; together?: never }
  | { together(trx: Trx): Promise<M>; atOnce?: never };

/**
 * Does the work of a creating request once per Idempotency-Key. The key is written in the work's own transaction, so
 * a refused request leaves no key and a duplicate in flight waits for the first. A replay answers what was made then.
 */
export async function idempotently<M extends Made>(
  c: Context<ApiEnv>,
  { db }: Pick<ApiContext, 'db'>,
  making: Making<M>,
): Promise<M | (Made & { isReplay: true })> {
  const key = readKey(c.req.header('idempotency-key'));
  const make = (trx: Trx) => (making.together ? making.together(trx) : making.atOnce(trx));
  if (key === undefined) return making.atOnce ? making.atOnce(db) : db.transaction().execute(make);

  const request = { project: c.get('project'), path: c.req.path, key, bodyHash: hash(await c.req.text()) };
  return db.transaction().execute(async (trx) => {
    const remembered = await rememberKey(trx, request);
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
    await completeKey(trx, request, made);
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
