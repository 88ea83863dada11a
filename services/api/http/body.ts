import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';
import { isRecord } from '#core/json.ts';
import { cleanText, shorten } from '#core/text.ts';
import { orCutOff } from './errors.ts';
import { renderPath } from './issues.ts';
import { isUnderResponses } from './response-base.ts';
import type { ApiEnv } from './router.ts';

const MIB = 1024 * 1024;

/** Bytes of a body at most, its images, files and audio apart. */
const MAX_PLAIN_BYTES = MIB;

/** Of a refused body that many bytes are read to the end and dropped: clients in the middle of sending miss the answer. */
const MOST_DROPPED_BYTES = 64 * MIB;

/**
 * Refuses a body of more bytes than `mostBytes`. Of ours it may have 1 MiB, and more only with inline data in it.
 * Node enforces a declared length, so only a body without one is counted. Reading a body makes a whole `Request` of it, and
 * a web stream.
 */
export function limitBody(mostBytes: number) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { method, path } = c.req;
    if (method === 'GET' || method === 'HEAD') return next();
    const maxSize = isUnderResponses(path) ? mostBytes : Math.max(mostBytes, MAX_PLAIN_BYTES);
    const length = c.req.header('content-length');
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) {
      await orCutOff(countBody(c, maxSize));
      return next();
    }
    if (Number(length) <= maxSize) return next();
    if (Number(length) <= MOST_DROPPED_BYTES) await orCutOff(dropBody(c.env.incoming));
    throw tooLarge(maxSize);
  });
}

/** Reads a body, which is refused as soon as it is too large: at 1 MiB where nothing in it is a part until then. */
async function countBody(c: Context<ApiEnv>, maxSize: number): Promise<void> {
  if (!c.req.raw.body) return;
  const plainSize = isUnderResponses(c.req.path) ? maxSize : MAX_PLAIN_BYTES;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body) {
    const wasPlain = size <= plainSize;
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize);
    if (wasPlain && size > plainSize && !Buffer.concat(chunks).includes(PART)) throw tooLarge(plainSize);
  }
  c.req.raw = new Request(c.req.raw, { body: Buffer.concat(chunks) });
}

/** What the JSON of a part begins its type with. */
const PART = '"input_';

function dropBody(incoming: Readable): Promise<void> {
  return finished(incoming.resume(), { writable: false });
}

function tooLarge(maxSize: number, besides = ''): RequestRefused {
  const most = maxSize % MIB === 0 ? `${maxSize / MIB} MiB` : `${maxSize} bytes`;
  const message = `The body is larger than ${most}${besides}. Send less, or split it over turns.`;
  return new RequestRefused(413, 'body_too_large', message);
}

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;
const MAX_KEYS = 10_000;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Makes sure that a body is JSON that can be stored, before any other code reads it; with inline data, of `mostBytes`. */
export function readJson(mostBytes: number) {
  return createMiddleware(async (c, next) => {
    if (!WITH_BODY.has(c.req.method)) return next();
    const text = await orCutOff(c.req.text());
    if (text.length > 0) {
      requireJsonType(c.req.header('content-type'));
      const body = isUnderResponses(c.req.path) ? JSON.stringify(cleanBody(parse(text))) : readOurs(text, mostBytes);
      // Later readers of the body get the clean one. Hono keeps promises here, although its types do not say so.
      c.req.bodyCache = { text: Promise.resolve(body) as unknown as string };
    }
    await next();
  });
}

/** A body of ours, clean: with inline data in it of `mostBytes` at most, and of 1 MiB without that. */
function readOurs(text: string, mostBytes: number): string {
  const isLarge = isLarger(text, MAX_PLAIN_BYTES);
  if (isLarge && !text.includes(PART)) throw tooLarge(MAX_PLAIN_BYTES);
  const clean = cleanBody(parse(text));
  if (isLarger(text, mostBytes) && inlineLength(clean) > 0) throw tooLarge(mostBytes);
  const body = JSON.stringify(clean);
  if (isLarge && isLarger(body, MAX_PLAIN_BYTES + inlineLength(clean)))
    throw tooLarge(MAX_PLAIN_BYTES, ' without its images, files and audio');
  return body;
}

/** A character takes at most three bytes for each of its units. */
function isLarger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/** Characters of a clean body that are the data of parts, wherever these stand. */
function inlineLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isRecord(value) ? (INLINE_FIELDS[String(value.type)] ?? []) : [];
  const data = own.map((field) => (isRecord(value) ? value[field] : ''));
  const length = data.reduce<number>((sum, text) => sum + (isInline(text) ? text.length : 0), 0);
  return Object.values(value).reduce<number>((sum, inner) => sum + inlineLength(inner), length);
}

/** An address, or the path of a blob, is no data. */
function isInline(value: unknown): value is string {
  return typeof value === 'string' && !/^(?:https:\/\/|\/v1\/)/.test(value);
}

const INLINE_FIELDS: Partial<Record<string, string[]>> = {
  input_image: ['image_url'],
  input_file: ['file_data'],
  input_audio: ['data'],
};

function requireJsonType(type: string | undefined): void {
  if (type && /^application\/([\w.+-]+\+)?json\b/i.test(type)) return;
  throw new RequestRefused(
    415,
    'unsupported_media_type',
    'Send the body as JSON with `Content-Type: application/json`.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestRefused(400, 'invalid_json', 'The body is not valid JSON. Check quotes, commas and brackets.');
  }
}

/** Replaces what Postgres or a provider cannot store; refuses what could do harm or is too much to check. */
function cleanBody(body: unknown): unknown {
  let values = 0;

  function clean(value: unknown, path: (string | number)[]): unknown {
    values += 1;
    if (values > MAX_VALUES) throw tooMany('The body', `${MAX_VALUES} values`);
    if (typeof value === 'string') return cleanText(value);
    if (typeof value === 'number') return finite(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (path.length >= MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) return value.map((item, index) => clean(item, [...path, index]));
    const entries = Object.entries(value);
    if (entries.length > MAX_KEYS) throw tooMany('An object in the body', `${MAX_KEYS} keys`);
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const keyPath = [...path, key];
        return [cleanKey(keyPath, key), clean(item, keyPath)];
      }),
    );
  }
  return clean(body, []);
}

function tooDeep(): RequestRefused {
  const message = `The body is nested more than ${MAX_DEPTH} levels deep. Flatten it.`;
  return new RequestRefused(400, 'json_too_deep', message);
}

function tooMany(what: string, many: string): RequestRefused {
  const message = `${what} has more than ${many}. Send fewer, or large data as one text.`;
  return new RequestRefused(400, 'json_too_large', message);
}

/** JSON may hold numbers that no double holds; stored, they would become `null`. */
function finite(value: number, path: (string | number)[]): number {
  if (Number.isFinite(value)) return value;
  const param = renderPath(path);
  throw new RequestRefused(
    400,
    'invalid_value',
    `\`${shorten(param)}\` is too large a number. Give a smaller one.`,
    param,
  );
}

function cleanKey(path: (string | number)[], key: string): string {
  if (key !== '__proto__') return cleanText(key);
  throw new RequestRefused(400, 'unknown_field', 'Leave out the key `__proto__`.', renderPath(path));
}
