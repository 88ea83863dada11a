import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { makeRouter } from './make-router.ts';
import { openRefusals } from './schemas/refusals.ts';

/** A page of plain browser files: where it is, and the folder beside this file that holds it and names its assets. */
export type Page = { path: string; folder: string; operationId: string; summary: string };

type Asset = { bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing runs or loads but what we serve ourselves, whatever a model or a tool puts on the page. */
const GUARDS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const unchanged = { 304: { description: 'It is as `If-None-Match` says.' } };

/** Serves a page at its path and its assets under the folder's name. They are open to all and hold no data. */
export function serveAssets({ path, folder, operationId, summary }: Page) {
  const assets = readAssets(folder);
  const about = { method: 'get' as const, tags: ['Pages'], security: [] };
  const page = createRoute({
    ...{ ...about, path, operationId, summary },
    responses: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } }, ...unchanged },
  });
  const asset = createRoute({
    ...{ ...about, path: `/${folder}/{name}`, operationId: `${operationId}Asset`, summary: `${summary}: its assets` },
    request: { params: z.object({ name: z.string().describe('The name of the file.') }) },
    responses: { 200: { description: 'The file.' }, ...unchanged, ...openRefusals('route_not_found') },
  });
  return makeRouter()
    .openapi(page, (c) => answer(c, assets.get('index.html')))
    .openapi(asset, (c) => answer(c, assets.get(c.req.valid('param').name)));
}

/** All there is to serve, read once: a name that is not among them is no file, wherever it points. */
function readAssets(folder: string): Map<string, Asset> {
  const place = join(import.meta.dirname, folder);
  const names = readdirSync(place).filter((name) => extname(name) in TYPES);
  return new Map(names.map((name) => [name, readAsset(place, name)]));
}

function readAsset(place: string, name: string): Asset {
  const bytes = new Uint8Array(readFileSync(join(place, name)));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, headers: { ...GUARDS, etag, 'content-type': TYPES[extname(name)] ?? '' } };
}

function answer(c: Context, asset: Asset | undefined): Response | Promise<Response> {
  if (!asset) return c.notFound();
  if (c.req.header('if-none-match')?.includes(asset.headers.etag ?? '')) return c.body(null, 304, asset.headers);
  return c.body(asset.bytes, 200, asset.headers);
}
