import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from './journal.ts';

/** The APIs of the site; a request goes to any of them, and to another when it brought nothing. */
export type ApiClient = {
  /** Asks until there is an answer other than 503; undefined when the run is over. */
  ask(request: ApiRequest): Promise<ApiAnswer | undefined>;
  /** Opens a stream once; undefined where nobody answered. */
  open(path: string, lastEventId: number): Promise<Response | undefined>;
  isOver(): boolean;
};

export type ApiRequest = { method: 'GET' | 'POST'; path: string; body?: unknown; key?: string };
export type ApiAnswer = { status: number; body: Record<string, unknown> };

const TIMEOUT_MS = 12_000;
const PAUSE_MS = 250;

/** Makes a client that writes every answer down. */
export function makeApiClient(urls: string[], journal: Journal, over: AbortSignal): ApiClient {
  let asked = 0;

  function nextUrl(): string {
    asked += 1;
    return urls[asked % urls.length] ?? '';
  }
  function note(api: string, { method, path }: ApiRequest, response: Response): void {
    const route = `${method} ${path.replace(/\/(turn|conv)_\w+/, '/:id').replace(/\?.*/, '')}`;
    const hasRetryAfter = response.headers.has('retry-after');
    journal.answers.push({ at: Date.now(), api, route, status: response.status, hasRetryAfter });
  }
  async function askOnce(request: ApiRequest): Promise<ApiAnswer | undefined> {
    const { method, path, body, key } = request;
    const url = nextUrl();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([over, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    note(url, request, response);
    if (response.status === 503) return void (await response.text());
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  async function ask(request: ApiRequest): Promise<ApiAnswer | undefined> {
    while (!over.aborted) {
      const answer = await askOnce(request).catch(() => undefined);
      if (answer) return answer;
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
    return undefined;
  }
  async function open(path: string, lastEventId: number): Promise<Response | undefined> {
    const url = nextUrl();
    const headers = { accept: 'text/event-stream', ...(lastEventId > 0 ? { 'last-event-id': `${lastEventId}` } : {}) };
    const leaving = new AbortController();
    const timer = setTimeout(() => leaving.abort(), TIMEOUT_MS);
    try {
      const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.any([over, leaving.signal]) });
      note(url, { method: 'GET', path: `${path} as stream` }, response);
      return response;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
  return { ask, open, isOver: () => over.aborted };
}
