import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { makeRouter } from '../http/router.ts';
import { openRefusals } from '../schemas/errors/refusals.ts';

/**
 * Serves turns at `GET /` and `/openapi.json` at `GET /docs`. `npm run build` makes both pages and their assets. They
 * are open to all and have no data: the page reads the API with the key of its tab.
 */
export function pageRoutes(directory = join(import.meta.dirname, '../../../packages/inspector/dist')) {
  const assets = readAssets(directory);
  const about = { method: 'get' as const, tags: ['Pages'], security: [] };
  const page = { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } }, ...unchanged };
  const inspector = createRoute({
    ...{ ...about, path: '/', operationId: 'showInspector', summary: 'Show turns in a browser', responses: page },
  });
  const docs = createRoute({
    ...{ ...about, path: '/docs', operationId: 'showDocs', summary: 'Show this API in a browser', responses: page },
  });
  const asset = createRoute({
    ...{ ...about, path: '/inspector/{name}', operationId: 'showInspectorAsset', summary: 'Read an asset of a page' },
    request: { params: z.object({ name: z.string().describe('The name of the file.') }) },
    responses: { 200: { description: 'The file.' }, ...unchanged, ...openRefusals('route_not_found') },
  });
  return makeRouter()
    .openapi(inspector, (c) => answer(c, assets.get('index.html') ?? NOT_BUILT))
    .openapi(docs, (c) => answer(c, assets.get('docs.html') ?? NOT_BUILT))
    .openapi(asset, (c) => answer(c, assets.get(c.req.valid('param').name)));
}

type Asset = { bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Only files of this server run or load, even if a model or a tool writes HTML. */
const GUARDS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Replaces the pages of a checkout that was not built. */
const NOT_BUILT = assetOf(
  '.html',
  Buffer.from('<!doctype html><p>This page is not built yet. Run <code>npm run build</code>, then start Pawl again.'),
);

const unchanged = { 304: { description: 'The page has not changed since the tag in `If-None-Match`.' } };

const known = new Map<string, Map<string, Asset>>();

/**
 * Returns all assets of a directory by name. A process reads a directory once, and a request can reach no other file.
 */
function readAssets(directory: string): Map<string, Asset> {
  const read = known.get(directory);
  if (read) return read;
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => extname(name) in TYPES) : [];
  const assets = new Map(names.map((name) => [name, assetOf(extname(name), readFileSync(join(directory, name)))]));
  known.set(directory, assets);
  return assets;
}

function assetOf(extension: string, content: Buffer): Asset {
  const bytes = new Uint8Array(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, headers: { ...GUARDS, etag, 'content-type': TYPES[extension] ?? '' } };
}

function answer(c: Context, asset: Asset | undefined): Response | Promise<Response> {
  if (!asset) return c.notFound();
  if (c.req.header('if-none-match')?.includes(asset.headers.etag ?? '')) return c.body(null, 304, asset.headers);
  return c.body(asset.bytes, 200, asset.headers);
}
