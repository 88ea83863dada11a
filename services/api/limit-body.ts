import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuse });

/** Refuses a body over 1 MiB. A request that only reads is not even asked for one: that alone would make it a whole `Request`. */
export const limitBody = createMiddleware((c, next) => {
  const { method } = c.req;
  return method === 'GET' || method === 'HEAD' ? next() : limit(c, next);
});

function refuse(): never {
  throw new RequestRefused(413, 'body_too_large', 'The body is larger than 1 MiB. Send less, or split it over turns.');
}
