import { findTableLock } from '#core/checkpoint/table-lock.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../context.ts';
import { checkRequestQuota } from '../quotas/request-quota.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { authenticate } from './api-keys.ts';
import { readBody } from './body/read-body.ts';
import { handleError } from './errors.ts';
import { refuseUnknownFields } from './fields/unknown-fields.ts';
import { refuseForeignOrigin } from './foreign-origin.ts';
import { setResponseHeaders } from './response-headers.ts';
import type { makeRouter } from './router.ts';
import { checkScope } from './scopes.ts';
import { refuseUnknownRoute } from './unknown-route.ts';

/** Makes an app answer errors in the error envelope, and refuse requests before a route reads them. */
export function guardRequests(app: ReturnType<typeof makeRouter>, context: ApiContext): void {
  const answerError = handleError(context.log, async () => (await findTableLock(context.db))?.table ?? null);
  app.onError((error, c) => {
    if (!(error instanceof RequestRefused)) context.availability.suspect(error);
    return answerError(error, c);
  });
  app.notFound(() => {
    throw refused('route_not_found');
  });
  app.use('*', setResponseHeaders);
  app.use('*', refuseForeignOrigin(context.keys));
  for (const paths of KEYED) app.use(paths, authenticate(context.keys));
  app.use('*', refuseUnknownRoute(app.openAPIRegistry));
  const read = readBody(context.bodyLimit);
  const refuseFields = refuseUnknownFields(app.openAPIRegistry);
  for (const paths of KEYED) app.use(paths, checkScope, checkRequestQuota(context), read, refuseFields);
}

/** The paths that need a key. */
const KEYED = ['/v1/*', '/openai/v1/*'];
