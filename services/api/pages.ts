import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { makeRouter } from './http/router.ts';
import { openRefusals } from './schemas/errors/refusals.ts';

/** `GET /` and its assets: a page that shows turns. It is open to all; it reads the API with the key of its tab. */
export function inspectorPageRoutes() {
  const page = {
    path: '/',
    folder: 'inspector',
    directory: join(import.meta.dirname, '../../packages/inspector'),
    operationId: 'showInspector',
    summary: 'Show turns in a browser',
  };
  return serveAssets(page).route('/', serveRooms(page));
}

/**
 * `GET /docs` and its assets: a page that shows `/openapi.json`. It uses scripts and styles of `packages/inspector` by
 * their URL, `/inspector/…`.
 */
export function docsPageRoutes() {
  return serveAssets({
    path: '/docs',
    folder: 'docs',
    directory: join(import.meta.dirname, 'docs'),
    operationId: 'showDocs',
    summary: 'Show this API in a browser',
  });
}

/** A page of plain browser files: its path, the URL segment of its assets, and the directory that holds them. */
export type Page = { path: string; folder: string; directory: string; operationId: string; summary: string };

type Asset = { bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Assets that a package brings as one browser file, which is served in place of the file that names the package. */
const PACKAGED: Record<string, string> = {
  'content/markdown-it.js': fileURLToPath(import.meta.resolve('markdown-it/browser')),
};

/** Only files of this server run or load, whatever a model or a tool puts on the page. */
const GUARDS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const unchanged = { 304: { description: 'It is as `If-None-Match` says.' } };

/** Serves a page at its path and its assets under the folder's name in the URL. They are open to all and hold no data. */
function serveAssets({ path, folder, directory, operationId, summary }: Page) {
  const assets = readAssets(directory);
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

/** Serves the assets in the rooms of a page: those one folder below its own. */
function serveRooms({ folder, directory, operationId, summary }: Page) {
  const assets = readAssets(directory);
  const params = z.object({
    room: z.string().describe('The folder of the file.'),
    name: z.string().describe('The name of the file.'),
  });
  const asset = createRoute({
    ...{ method: 'get' as const, tags: ['Pages'], security: [], path: `/${folder}/{room}/{name}` },
    ...{ operationId: `${operationId}RoomAsset`, summary: `${summary}: the assets of its rooms`, request: { params } },
    responses: { 200: { description: 'The file.' }, ...unchanged, ...openRefusals('route_not_found') },
  });
  return makeRouter().openapi(asset, (c) => {
    const { room, name } = c.req.valid('param');
    return answer(c, assets.get(`${room}/${name}`));
  });
}

/** All assets by their path, read once: what is not among them is no asset, wherever it points. */
function readAssets(directory: string): Map<string, Asset> {
  const names = readdirSync(directory, { encoding: 'utf8', recursive: true }).filter((name) => extname(name) in TYPES);
  return new Map(names.map((name) => [name, readAsset(directory, name)]));
}

function readAsset(directory: string, name: string): Asset {
  const bytes = new Uint8Array(readFileSync(PACKAGED[name] ?? join(directory, name)));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, headers: { ...GUARDS, etag, 'content-type': TYPES[extname(name)] ?? '' } };
}

function answer(c: Context, asset: Asset | undefined): Response | Promise<Response> {
  if (!asset) return c.notFound();
  if (c.req.header('if-none-match')?.includes(asset.headers.etag ?? '')) return c.body(null, 304, asset.headers);
  return c.body(asset.bytes, 200, asset.headers);
}
