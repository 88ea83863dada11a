import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD } from '../projects.ts';
import type { Journal } from './journal.ts';

/** A client of all APIs of the run in turn: a request without an answer is sent to the next API. */
export type ApiClient = {
  /** Sends a request until it has an answer other than 503. Returns undefined if the run is over. */
  send(request: ApiRequest): Promise<ApiAnswer | undefined>;
  /** Opens a stream once. Returns undefined without an answer. */
  open(path: string, lastEventId: number): Promise<Response | undefined>;
  isOver(): boolean;
};

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  key?: string;
};
export type ApiAnswer = { status: number; body: Record<string, unknown> };

const TIMEOUT_MS = 12_000;
const PAUSE_MS = 250;

/** Makes a client of a project that records every answer in the journal. */
export function makeApiClient(urls: string[], journal: Journal, over: AbortSignal, { key: own } = LOAD): ApiClient {
  const authorized = { authorization: `Bearer ${own}` };
  let count = 0;

  function nextUrl(): string {
    count += 1;
    return urls[count % urls.length] ?? '';
  }
  function record(api: string, { method, path }: ApiRequest, response: Response): void {
    const route = `${method} ${path.replace(/\/(turn|conv|resp)_\w+/, '/:id').replace(/\?.*/, '')}`;
    const hasRetryAfter = response.headers.has('retry-after');
    journal.answers.push({ at: Date.now(), api, route, status: response.status, hasRetryAfter });
  }
  async function sendOnce(request: ApiRequest): Promise<ApiAnswer | undefined> {
    const { method, path, body, key } = request;
    const url = nextUrl();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...authorized,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([over, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    record(url, request, response);
    if (response.status === 503) return void (await response.text());
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }
  async function send(request: ApiRequest): Promise<ApiAnswer | undefined> {
    while (!over.aborted) {
      const answer = await sendOnce(request).catch(() => undefined);
      if (answer) return answer;
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
    return undefined;
  }
  async function open(path: string, lastEventId: number): Promise<Response | undefined> {
    const url = nextUrl();
    const accept = { ...authorized, accept: 'text/event-stream' };
    const headers = { ...accept, ...(lastEventId > 0 ? { 'last-event-id': `${lastEventId}` } : {}) };
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
    try {
      const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.any([over, timeout.signal]) });
      record(url, { method: 'GET', path: `${path} as stream` }, response);
      return response;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
  return { send, open, isOver: () => over.aborted };
}
