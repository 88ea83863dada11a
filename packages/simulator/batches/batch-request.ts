import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BatchOwner } from './batch-store.ts';
import type { BatchApi } from './kept-batch.ts';

/** An act on a batch or on a file. */
export type BatchAct = 'upload' | 'create' | 'list' | 'read' | 'file' | 'results' | 'cancel' | 'delete';

/** A request about batches. `id` is the batch, the file, or the model of a create of Gemini, or ''. */
export type BatchRequest = {
  api: BatchApi;
  act: BatchAct;
  id: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
};

/** A request about batches with its body. */
export type BatchCall = { request: BatchRequest; owner: BatchOwner; body: Buffer<ArrayBuffer> };

/** The answer to a request about batches: an object as JSON, or a text. A cut answer breaks inside its text. */
export type BatchAnswer = { status: number; body: unknown; headers?: Record<string, string>; isCut?: boolean };

/** The routes, with the id in the first group. */
const ROUTES: [route: RegExp, api: BatchApi, act: BatchAct][] = [
  [/^POST \/v1\/files$/, 'openai', 'upload'],
  [/^GET \/v1\/files\/([^/]+)$/, 'openai', 'file'],
  [/^GET \/v1\/files\/([^/]+)\/content$/, 'openai', 'results'],
  [/^DELETE \/v1\/files\/([^/]+)$/, 'openai', 'delete'],
  [/^POST \/v1\/batches$/, 'openai', 'create'],
  [/^GET \/v1\/batches$/, 'openai', 'list'],
  [/^GET \/v1\/batches\/([^/]+)$/, 'openai', 'read'],
  [/^POST \/v1\/batches\/([^/]+)\/cancel$/, 'openai', 'cancel'],
  [/^POST \/v1\/messages\/batches$/, 'anthropic', 'create'],
  [/^GET \/v1\/messages\/batches$/, 'anthropic', 'list'],
  [/^GET \/v1\/messages\/batches\/([^/]+)$/, 'anthropic', 'read'],
  [/^GET \/v1\/messages\/batches\/([^/]+)\/results$/, 'anthropic', 'results'],
  [/^POST \/v1\/messages\/batches\/([^/]+)\/cancel$/, 'anthropic', 'cancel'],
  [/^DELETE \/v1\/messages\/batches\/([^/]+)$/, 'anthropic', 'delete'],
  [/^POST \/v1(?:beta)?\/models\/([^/:]+):batchGenerateContent$/, 'gemini', 'create'],
  [/^GET \/v1(?:beta)?\/batches$/, 'gemini', 'list'],
  [/^GET \/v1(?:beta)?\/batches\/([^/:]+)$/, 'gemini', 'read'],
  [/^POST \/v1(?:beta)?\/batches\/([^/:]+):cancel$/, 'gemini', 'cancel'],
  [/^DELETE \/v1(?:beta)?\/batches\/([^/:]+)$/, 'gemini', 'delete'],
];

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Reads a request about batches, or returns null. Google's header decides a path that two APIs have. */
export function readBatchRequest({ method, url = '', headers }: Received): BatchRequest | null {
  const [path = '', query] = url.split('?');
  const isGoogle = headers['x-goog-api-key'] !== undefined;
  for (const [route, api, act] of ROUTES) {
    const match = isGoogle && api !== 'gemini' ? null : route.exec(`${method} ${path}`);
    if (match) return { api, act, id: match[1] ?? '', query: new URLSearchParams(query), headers };
  }
  return null;
}
