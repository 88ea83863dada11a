import { type Refusal, readRefusal, unreachable } from './read-refusal.ts';

/** One request. `timeoutMs` bounds the time until `read` is done, 30 s unless given. */
export type ApiRequest = {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

/** Makes a request once and reads from a good answer what is wanted. Throws PawlError, or the signal's own reason. */
export type Exchange = <Answer>(request: ApiRequest, read: (response: Response) => Promise<Answer>) => Promise<Answer>;

type Reach = {
  baseUrl: string;
  apiKey?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  fail(refusal: Refusal): Error;
};

const TIMEOUT_MS = 30_000;

/** Makes the exchange with one server. */
export function makeExchange({ baseUrl, apiKey, fetch = globalThis.fetch, fail }: Reach): Exchange {
  const authorization: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};

  return async ({ path, query, signal, timeoutMs = TIMEOUT_MS, ...request }, read) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const either = signal ? firstOf(signal, late) : late.signal;
    let refusal: Refusal;
    try {
      const response = await fetch(urlOf(baseUrl, path, query), { ...sent(request, authorization), signal: either });
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

/** Aborts with whichever comes first. Node 18 has no `AbortSignal.any`. */
function firstOf(signal: AbortSignal, late: AbortController): AbortSignal {
  if (AbortSignal.any) return AbortSignal.any([signal, late.signal]);
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener('abort', () => late.abort(signal.reason), { once: true });
  return late.signal;
}

function urlOf(baseUrl: string, path: string, query: ApiRequest['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return [baseUrl.replace(/\/+$/, '') + path, search.toString()].filter(Boolean).join('?');
}

function sent({ method = 'GET', headers, body }: Omit<ApiRequest, 'path'>, authorization: Record<string, string>) {
  if (body === undefined) return { method, headers: { ...authorization, ...headers } };
  const json = { 'content-type': 'application/json' };
  return { method, headers: { ...authorization, ...json, ...headers }, body: JSON.stringify(body) };
}
