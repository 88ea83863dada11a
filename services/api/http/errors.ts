import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { Failure, RequestRefused } from '#core/failure.ts';
import { type TransientFault, transientFaultOf } from '#core/postgres/retry-transient.ts';
import type { Log } from '../../process/log.ts';

type LockedTable = () => Promise<string | null>;

/**
 * Turns an error of a route into the error envelope. Errors that callers cannot fix are logged and never shown.
 * `lockedTable` returns the table that another session of the database has locked.
 */
export function handleError(log: Log, lockedTable: LockedTable = async () => null) {
  return async (error: unknown, c: Context): Promise<Response> => {
    if (error instanceof RequestRefused) return refuse(c, error);
    if (error instanceof HTTPException && error.status < 500) {
      return refuse(
        c,
        new RequestRefused(400, 'invalid_json', 'The body is missing or is not valid JSON. Send a JSON object.'),
      );
    }
    if (error instanceof RequestCutOff) {
      log.debug({ path: c.req.path }, 'a client disconnected in the middle of its request');
      return c.body(null, 400);
    }
    const fault = transientFaultOf(error);
    if (fault) {
      // The process logs once that a part is unavailable. Only a failure of this request is logged here.
      const level = OF_ONE_REQUEST.has(fault.kind) ? 'warn' : 'debug';
      log[level]({ code: codeOf(error), path: c.req.path }, fault.log);
      c.header('Retry-After', '1');
      return fail(c, 503, { code: 'service_unavailable', message: await sentenceFor(fault, lockedTable) });
    }
    log.error({ err: error, path: c.req.path }, 'request failed');
    return fail(c, 500, {
      code: 'internal',
      message: 'Pawl failed unexpectedly. Try again. If the error repeats, check the API log.',
    });
  };
}

async function sentenceFor({ kind, message }: TransientFault, lockedTable: LockedTable): Promise<string> {
  const table = kind === 'lock' ? await lockedTable().catch(() => null) : null;
  if (table === null) return message;
  return `The table ${table} is locked by another session of PostgreSQL. Try again when the lock is released.`;
}

const OF_ONE_REQUEST = new Set<TransientFault['kind']>(['conflict', 'lock', 'out-of-memory']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function refuse(c: Context, refused: RequestRefused): Response {
  const { status } = refused;
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  // The rest of this body is never read, so the connection cannot be used again.
  if (status === 413) c.header('Connection', 'close');
  if (status === 429 || status === 503) c.header('Retry-After', '1');
  for (const [name, value] of Object.entries(refused.headers)) c.header(name, value);
  return c.json(errorEnvelope(refused), status);
}

function fail(c: Context, status: 500 | 503, { code, message }: { code: string; message: string }): Response {
  return c.json({ error: { type: errorTypes[status], code, message, param: null } }, status);
}

/** Makes the body of every error answer. */
export function errorEnvelope({
  status,
  code,
  message,
  param,
}: Pick<RequestRefused, 'status' | 'code' | 'message' | 'param'>) {
  return { error: { type: errorTypes[status], code, message, param } };
}

/** The error type of each status. */
export const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'conflict_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  417: 'invalid_request_error',
  426: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  500: 'server_error',
  503: 'server_error',
} as const;

/** The client disconnected before its request was complete, so it receives no answer. */
class RequestCutOff extends Failure {
  constructor() {
    super('request_cut_off', 'The client disconnected before its request was complete.');
  }
}

/** Awaits the body. An error with a code is caused by the client's socket, not by the database. */
export async function orCutOff<Read>(reading: Promise<Read>): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof Error && 'code' in error && !(error instanceof Failure) ? new RequestCutOff() : error;
  }
}
