import type { ApiRequest, Exchange } from './exchange.ts';
import type { CallOptions, StartOptions } from './pawl.ts';
import { RETRY_FOR_MS, retryTransient } from './retry.ts';
import { webCrypto } from './web-crypto.ts';

export type Api = { exchange: Exchange; patienceMs: number | undefined };

/** Requests JSON and retries while the server is away. The request must be safe to repeat. */
export function requestJson<Answer>(api: Api, request: ApiRequest, options: CallOptions = {}): Promise<Answer> {
  const { signal, patienceMs = api.patienceMs ?? RETRY_FOR_MS.request } = options;
  return retryTransient(() => api.exchange({ ...request, signal }, readJson<Answer>), { patienceMs, signal });
}

/** Creates something once, although the request may be repeated. All attempts have the same Idempotency-Key. */
export async function createOnce<Answer>(
  api: Api,
  created: { path: string; body: unknown },
  options: StartOptions = {},
): Promise<Answer> {
  return requestJson(api, { method: 'POST', ...created, headers: await keyOf(options) }, options);
}

/** Reads the answer without a check, since the server answers by its schema. */
async function readJson<Answer>(response: Response): Promise<Answer> {
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

/** Returns the header that makes a creating POST safe to repeat. */
async function keyOf({ idempotencyKey }: StartOptions): Promise<Record<string, string>> {
  return { 'idempotency-key': idempotencyKey ?? (await randomUuid()) };
}

/** Returns a UUID of version 4. Pages loaded over plain http have no `crypto.randomUUID`. */
async function randomUuid(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
