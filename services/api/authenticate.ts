import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';
import type { ApiEnv } from './api-env.ts';
import type { ApiKeys } from './api-keys.ts';

/** Lets nobody past without a key, and says whose the request is. */
export function authenticate(keys: ApiKeys) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = keys.callerOf(c.req.header('authorization'));
    if (!caller) {
      throw new RequestRefused(401, 'invalid_api_key', 'Send a valid key as `Authorization: Bearer <key>`.');
    }
    c.set('project', caller.project);
    c.set('keyId', caller.keyId);
    await next();
  });
}
