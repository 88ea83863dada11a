import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { databaseTrouble } from '#core/checkpoint/persist.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Log } from '../log.ts';
import { envelope } from './envelope.ts';
import { errorTypes } from './error-types.ts';
import { RequestCutOff } from './request-cut-off.ts';

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
    if (error instanceof RequestCutOff) {
      log.debug({ path: c.req.path }, 'a client went away in the middle of its request');
      return c.body(null, 400);
    }
    const trouble = databaseTrouble(error);
    if (trouble) {
      // Of a part that is away the process says so once; what this request alone has met is told here.
      const level = trouble.kind === 'conflict' || trouble.kind === 'out-of-memory' ? 'warn' : 'debug';
      log[level]({ code: codeOf(error), path: c.req.path }, trouble.log);
      c.header('Retry-After', '1');
      return fail(c, 503, { code: 'service_unavailable', message: trouble.message });
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

function refuse(c: Context, refused: RequestRefused): Response {
  const { status } = refused;
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  // The rest of such a body is never read, so nothing else can come over this connection.
  if (status === 413) c.header('Connection', 'close');
  if (status === 429 || status === 503) c.header('Retry-After', '1');
  return c.json(envelope(refused), status);
}

function fail(c: Context, status: 500 | 503, { code, message }: { code: string; message: string }): Response {
  return c.json({ error: { type: errorTypes[status], code, message, param: null } }, status);
}
