import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';
import { orCutOff } from './request-cut-off.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuse });

/**
 * Refuses a body over 1 MiB. Node holds a sender to the length he has told, so only a body without one is counted: to look at
 * a body at all makes a whole `Request` of it, and a stream of the web.
 */
export const limitBody = createMiddleware((c, next) => {
  const { method } = c.req;
  if (method === 'GET' || method === 'HEAD') return next();
  const length = c.req.header('content-length');
  if (length === undefined || c.req.header('transfer-encoding') !== undefined) return orCutOff(limit(c, next));
  return Number(length) > MAX_BODY_BYTES ? refuse() : next();
});

function refuse(): never {
  throw new RequestRefused(413, 'body_too_large', 'The body is larger than 1 MiB. Send less, or split it over turns.');
}
