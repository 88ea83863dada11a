import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { isUnderResponses, takesForm } from '../response-base.ts';
import type { ApiEnv } from '../router.ts';
import { makeBodyRoom } from './body-room.ts';
import { parseScannedBody } from './parse-json-body.ts';
import { describeForm, readForm } from './read-form.ts';
import { type ReceivedBody, receiveBody } from './receive-body.ts';
import { refuseBySize, refuseWithoutParts } from './refuse-by-size.ts';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Checks that a body is storable JSON or a form, before other code reads it. The limit is 1 MiB, or `mostBytes` with
 * inline data. A small body is read at once. A larger body waits for room among the bodies of all projects, and is
 * read in slices.
 */
export function readBody(mostBytes: number) {
  const room = makeBodyRoom(Math.max(BODY_BOUNDS.allBytes, 2 * mostBytes));
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { method } = c.req;
    if (method === 'GET' || method === 'HEAD') return next();
    let release = () => {};
    c.set('releaseBody', () => release());
    const enter = async (bytes: number) => {
      release = await room.enter(c.get('project'), Math.max(bytes, BODY_BOUNDS.leastCountedBytes));
    };
    try {
      await readWhole(c, mostBytes, enter);
      await next();
    } finally {
      release();
    }
  });
}

type EnterRoom = (bytes: number) => Promise<void>;

/** Reads the body of a WebSocket message, a form, or JSON. A WebSocket message has already arrived. */
async function readWhole(c: Context<ApiEnv>, mostBytes: number, enter: EnterRoom): Promise<void> {
  const { socket } = c.env;
  if (socket) {
    if (socket.bytes > BODY_BOUNDS.smallBytes) await enter(socket.bytes);
    return keepBody(c, socket.body);
  }
  const { method, path } = c.req;
  const most = isUnderResponses(path) ? mostBytes : Math.max(mostBytes, BODY_BOUNDS.plainBytes);
  const received = await receiveBody(c, most, enter);
  if (!WITH_BODY.has(method)) return;
  if (takesForm(path)) keepForm(c, received);
  else await readJson(c, received, mostBytes);
}

async function readJson(c: Context<ApiEnv>, { bytes, scan }: ReceivedBody, mostBytes: number): Promise<void> {
  if (bytes.length === 0) return keepBody(c, undefined);
  requireJsonType((name) => c.req.header(name));
  const isNative = !isUnderResponses(c.req.path);
  const clean = await parseScannedBody({ bytes, scan }, isNative ? refuseWithoutParts : undefined);
  if (isNative) refuseBySize(clean, bytes, mostBytes);
  if (bytes.length > BODY_BOUNDS.smallBytes) await yieldToEventLoop();
  keepBody(c, clean);
}

/** Gives later readers the form, and a text that identifies it, because a repeated request has another boundary. */
function keepForm(c: Context<ApiEnv>, { bytes }: ReceivedBody): void {
  const form = readForm(
    bytes,
    requireMultipartType((name) => c.req.header(name)),
  );
  c.set('form', form);
  c.req.text = async () => describeForm(form);
}

/** Gives later readers the clean body. It is written as text only if a reader asks for the text. */
function keepBody(c: Context<ApiEnv>, clean: unknown): void {
  const text = () => (clean === undefined ? '' : JSON.stringify(clean));
  c.req.text = async () => text();
  c.req.json = async () => (clean === undefined ? JSON.parse('') : clean);
}

/** Refuses a body if its headers do not declare plain JSON in UTF-8, because it would be misread. */
function requireJsonType(header: (name: string) => string | undefined): void {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((text) => text.trim());
  if (!/^application\/([\w.+-]+\+)?json$/i.test(type)) {
    throw unsupported('Send the body as JSON with `Content-Type: application/json`.');
  }
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter))?.replace(/^[^=]*=\s*/, '');
  if (charset !== undefined && !/^"?utf-?8"?$/i.test(charset)) {
    throw unsupported(`The charset ${quote(charset)} is not accepted. Send the body in UTF-8.`, 'Content-Type');
  }
  requireNoEncoding(header);
}

/** Refuses a body if its headers do not declare a multipart form. Returns the boundary of its parts. */
function requireMultipartType(header: (name: string) => string | undefined): string {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((text) => text.trim());
  const given = parameters.flatMap((parameter) => BOUNDARY.exec(parameter)?.groups?.boundary ?? [])[0];
  if (type.toLowerCase() !== 'multipart/form-data' || given === undefined) {
    throw unsupported('Send the body as a form with `Content-Type: multipart/form-data` and its boundary.');
  }
  requireNoEncoding(header);
  return given;
}

const BOUNDARY = /^boundary\s*=\s*("?)(?<boundary>[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])\1$/i;

function requireNoEncoding(header: (name: string) => string | undefined): void {
  const encoding = header('content-encoding');
  if (encoding !== undefined && !/^\s*(?:identity\s*)?$/i.test(encoding)) {
    const message = `The encoding ${quote(encoding)} is not accepted. Send the body without \`Content-Encoding\`.`;
    throw unsupported(message, 'Content-Encoding');
  }
}

function unsupported(message: string, param: string | null = null): RequestRefused {
  return new RequestRefused(415, 'unsupported_media_type', message, param);
}
