import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { isUnderResponses, takesForm } from '../response-base.ts';
import type { ApiEnv } from '../router.ts';
import { makeBodyPlaces } from './body-places.ts';
import { cleanBody, invalidJson, refuseByScan } from './clean-body.ts';
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
    const { method, path } = c.req;
    if (method === 'GET' || method === 'HEAD') return next();
    let release = () => {};
    c.set('releaseBody', () => release());
    const enter = async (bytes: number) => {
      release = await places.enter(c.get('project'), Math.max(bytes, BODY_BOUNDS.leastCountedBytes));
    };
    try {
      const most = isUnderResponses(path) ? mostBytes : Math.max(mostBytes, BODY_BOUNDS.plainBytes);
      const received = await receiveBody(c, most, enter);
      if (WITH_BODY.has(method) && takesForm(path)) keepForm(c, received);
      else if (WITH_BODY.has(method)) await readJson(c, received, mostBytes);
      await next();
    } finally {
      release();
    }
  });
}

async function readJson(c: Context<ApiEnv>, { bytes, scan }: ReceivedBody, mostBytes: number): Promise<void> {
  if (bytes.length === 0) return keepBody(c, undefined);
  requireJsonType((name) => c.req.header(name));
  refuseByScan(scan);
  const isNative = !isUnderResponses(c.req.path);
  if (isNative) refuseWithoutParts(bytes);
  const pause = bytes.length > BODY_BOUNDS.smallBytes ? yieldToEventLoop : async () => {};
  await pause();
  const text = decode(bytes);
  await pause();
  const body = parse(text);
  await pause();
  const clean = cleanBody(body);
  if (isNative) refuseBySize(clean, bytes, mostBytes);
  await pause();
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

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestRefused(400, 'invalid_json', 'The body has bytes that are not UTF-8. Encode its text as UTF-8.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson();
  }
}
