import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { isPassing } from '#core/checkpoint/persist.ts';
import { explainRefusal } from '#core/explain-refusal.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Log } from '../log.ts';
import { errorTypes } from './error-types.ts';

/** Turns whatever a route threw into the contract's envelope. What callers cannot mend is logged, never shown. */
export function handleError(log: Log) {
  return (error: unknown, c: Context): Response => {
    if (error instanceof RequestRefused) return refuse(c, error);
    if (error instanceof HTTPException && error.status < 500) {
      return refuse(
        c,
        new RequestRefused(400, 'invalid_json', 'The body is missing or is not valid JSON. Send a JSON object.'),
      );
    }
    if (isPassing(error)) {
      log.warn({ code: codeOf(error), path: c.req.path }, 'the database is away');
      c.header('Retry-After', '1');
      return fail(c, 503, {
        code: 'service_unavailable',
        message: explainRefusal(error) ?? 'The database cannot be reached right now. Try again in a moment.',
      });
    }
    log.error({ err: error, path: c.req.path }, 'request failed');
    return fail(c, 500, {
      code: 'internal',
      message: 'Something went wrong on our side. Try again; if it stays, look into the API log.',
    });
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function refuse(c: Context, { status, code, message, param }: RequestRefused): Response {
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  // The rest of such a body is never read, so nothing else can come over this connection.
  if (status === 413) c.header('Connection', 'close');
  if (status === 503) c.header('Retry-After', '1');
  return c.json({ error: { type: errorTypes[status], code, message, param } }, status);
}

function fail(c: Context, status: 500 | 503, { code, message }: { code: string; message: string }): Response {
  return c.json({ error: { type: errorTypes[status], code, message, param: null } }, status);
}
