import { connectPawl, PawlError } from '#client/connect-pawl.ts';
import { requestKey, storedKey } from './key.tsx';
import { noteServerTime } from './time.ts';

/** The client of this page. It does not retry requests: the page reads again at intervals and on a click. */
export const pawl = connectPawl({ baseUrl: urlOf(''), patienceMs: 0, fetch: fetchWithKey });

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls a route of the API and returns its JSON. Throws PawlError with the message of the API. */
export async function call<Answer>(
  method: Method,
  path: string,
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<Answer> {
  try {
    return await pawl.request<Answer>(method, path, body, { signal });
  } catch (error) {
    if (!(error instanceof PawlError && error.cause instanceof SyntaxError)) throw error;
    throw new Error(`The answer to ${method} ${path} is not valid JSON. ${CHECK_SERVER}`);
  }
}

/** The advice after an answer that another server than Pawl sent. */
export const CHECK_SERVER = "Check that Pawl's API answers here, and not a proxy.";

/** Returns any error as a message, with the field that it concerns. */
export function refusalOf(error: unknown): PawlError | Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns whether the API gives the same answer to the same request: a wrong key, a missing turn, a wrong filter. */
export function isFinal(error: Error | null): boolean {
  return error instanceof PawlError && error.status !== null && error.status >= 400 && error.status < 500;
}

/** Fetches with the key of this tab. Asks the person for a key if the API rejects the request without it. */
export async function fetchWithKey(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const usedKey = storedKey();
    const headers = new Headers(init.headers);
    if (usedKey !== null) headers.set('authorization', `Bearer ${usedKey}`);
    const response = await fetch(input, { ...init, headers });
    noteServerTime(response.headers.get('date'));
    if (response.status !== 401) return response;
    // A person may have entered a key during this request. Try that key before asking again.
    const hasAnother = storedKey() !== usedKey || (await requestKey());
    if (!hasAnother) return response;
  }
}

/** Returns the whole URL of a path, at any mount point of the API. */
export function urlOf(path: string): string {
  return new URL(path.replace(/^\//, '') || '.', document.baseURI).href;
}
