import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { isUnderResponses, takesForm } from '../response-base.ts';
import type { ApiEnv } from '../router.ts';
import { makeBodyPlaces } from './body-places.ts';
import { parseScannedBody } from './parse-json-body.ts';
import { describeForm, readForm } from './read-form.ts';
import { type ReceivedBody, receiveBody } from './receive-body.ts';
import { refuseBySize, refuseWithoutParts } from './refuse-by-size.ts';
import { requireJsonType, requireMultipartType } from './require-json-type.ts';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Makes sure that a body is JSON that can be stored, or a form, before any other code reads it: of 1 MiB, with inline
 * data of `mostBytes`. A small body is read at once. A larger one waits for room among the bodies of all projects, and
 * is read in slices.
 */
export function readBody(mostBytes: number) {
  const places = makeBodyPlaces(Math.max(BODY_BOUNDS.allBytes, 2 * mostBytes));
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { method } = c.req;
    if (method === 'GET' || method === 'HEAD') return next();
    let release = () => {};
    c.set('releaseBody', () => release());
    const enter = async (bytes: number) => {
      release = await places.enter(c.get('project'), Math.max(bytes, BODY_BOUNDS.leastCountedBytes));
    };
    try {
      await readWhole(c, mostBytes, enter);
      await next();
    } finally {
      release();
    }
  });
}

type EnterPlace = (bytes: number) => Promise<void>;

/** Reads the body of a WebSocket message, a form or JSON. A WebSocket message has already arrived. */
async function readWhole(c: Context<ApiEnv>, mostBytes: number, enter: EnterPlace): Promise<void> {
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

/** Gives later readers the form, and a text that describes it: a repeated request has another boundary. */
function keepForm(c: Context<ApiEnv>, { bytes }: ReceivedBody): void {
  const form = readForm(
    bytes,
    requireMultipartType((name) => c.req.header(name)),
  );
  c.set('form', form);
  c.req.text = async () => describeForm(form);
}

/** Gives later readers the clean body, which is written as text only if one of them asks for that. */
function keepBody(c: Context<ApiEnv>, clean: unknown): void {
  const text = () => (clean === undefined ? '' : JSON.stringify(clean));
  c.req.text = async () => text();
  c.req.json = async () => (clean === undefined ? JSON.parse('') : clean);
}
