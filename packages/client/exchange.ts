/** A request. `timeoutMs` bounds the time until `read` is done. The default is 30 s. */
export type ApiRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

/** Makes a request once and reads its answer if the status is 2xx. Throws PawlError, or the reason of the signal. */
export type Exchange = <Answer>(request: ApiRequest, read: (response: Response) => Promise<Answer>) => Promise<Answer>;

type Server = {
  baseUrl: string;
  apiKey?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  fail(refusal: Refusal): Error;
};

const TIMEOUT_MS = 30_000;

export function makeExchange({ baseUrl, apiKey, fetch = globalThis.fetch, fail }: Server): Exchange {
  const authorization: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};

  return async ({ path, query, signal, timeoutMs = TIMEOUT_MS, ...request }, read) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const eitherSignal = signal ? firstOf(signal, timeout) : timeout.signal;
    let refusal: Refusal;
    try {
      const response = await fetch(urlOf(baseUrl, path, query), {
        ...requestInit(request, authorization),
        signal: eitherSignal,
      });
      if (response.ok) return await read(response);
      refusal = await readRefusal(response);
    } catch (cause) {
      signal?.throwIfAborted();
      refusal = unreachable(baseUrl, cause);
    } finally {
      clearTimeout(timer);
    }
    throw fail(refusal);
  };
}

/** Returns a signal that aborts with the first of both. Node 18 has no `AbortSignal.any`. */
function firstOf(signal: AbortSignal, timeout: AbortController): AbortSignal {
  if (AbortSignal.any) return AbortSignal.any([signal, timeout.signal]);
  if (signal.aborted) timeout.abort(signal.reason);
  else signal.addEventListener('abort', () => timeout.abort(signal.reason), { once: true });
  return timeout.signal;
}

function urlOf(baseUrl: string, path: string, query: ApiRequest['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return [baseUrl.replace(/\/+$/, '') + path, search.toString()].filter(Boolean).join('?');
}

function requestInit(
  { method = 'GET', headers, body }: Omit<ApiRequest, 'path'>,
  authorization: Record<string, string>,
) {
  if (body === undefined) return { method, headers: { ...authorization, ...headers } };
  const json = { 'content-type': 'application/json' };
  return { method, headers: { ...authorization, ...json, ...headers }, body: JSON.stringify(body) };
}

/** Why a request failed. `status` is null if no answer arrived. */
export type Refusal = {
  status: number | null;
  type: string;
  code: string;
  message: string;
  param: string | null;
  retryable: boolean;
  retryAfterMs: number | null;
  cause?: unknown;
};

/** Statuses after which a retry may succeed: rate limits, timeouts, and servers or proxies that restart. */
const RETRYABLE = new Set([408, 429, 502, 503, 504]);

/** Reads an answer that is not 2xx, even if another server than Pawl sent it. */
async function readRefusal(response: Response): Promise<Refusal> {
  const { status, headers } = response;
  const retry = { retryable: RETRYABLE.has(status), retryAfterMs: retryAfterMs(headers.get('retry-after')) };
  const error = errorOf(await response.text());
  if (error) return { status, ...retry, ...error };
  const message = `The answer with status ${status} is not from Pawl. Check the base URL and the proxies in between.`;
  return { status, ...retry, type: 'server_error', code: 'unexpected_answer', message, param: null };
}

/** Returns the refusal for an answer that is missing or incomplete. */
function unreachable(baseUrl: string, cause: unknown): Refusal {
  const message = `Pawl does not answer at ${baseUrl}. Check that Pawl runs there.`;
  const retry = { status: null, retryable: true, retryAfterMs: null };
  return { ...retry, type: 'connection_error', code: 'unreachable', message, param: null, cause };
}

type ErrorBody = Pick<Refusal, 'type' | 'code' | 'message' | 'param'>;

function errorOf(body: string): ErrorBody | undefined {
  try {
    const { type, code, message, param = null } = JSON.parse(body).error;
    return typeof code === 'string' && typeof message === 'string' ? { type, code, message, param } : undefined;
  } catch {
    return undefined;
  }
}

/** Parses the header: seconds or a date. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
