import { operations } from './document.ts';
import { keepTo } from './keep-to.ts';

type Asking = { body?: unknown; headers?: Record<string, string> };

export type Ask = ReturnType<typeof visitor>['ask'];

/** Returns functions that send requests, check each answer against the document, and record the answers seen. */
export function visitor(url: string, key?: string) {
  const seen = new Set<string>();
  const codes = new Set<string>();

  async function ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, headers = {} }: Asking = {},
  ): Promise<Body> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { operation, code } = keepTo({ method, path, status: response.status, headers: response.headers, text });
    // The document describes this code for every operation, but no request should receive it.
    if (code === 'internal') throw new Error(`${method} ${path} failed: ${text}`);
    seen.add(`${operation.operationId} ${response.status}`);
    if (code) codes.add(code);
    const isJson = response.headers.get('content-type')?.includes('application/json');
    return (isJson ? JSON.parse(text) : text) as Body;
  }

  return {
    ask,
    codes,
    /** Returns the described successful answers that no request has received so far. */
    unseen: () =>
      operations
        .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
        .filter((answer) => / [23]\d\d$/.test(answer) && !seen.has(answer)),
  };
}
