import { expect } from 'vitest';
import { type Operation, operations, placeOfResponse } from './document.ts';
import { problemsAt } from './strictly.ts';

export type Exchange = { method: string; path: string; status: number; headers: Headers; text: string };

const OURS = [
  ...['location', 'pawl-poll-after-ms', 'idempotency-replayed', 'retry-after', 'www-authenticate'],
  ...['x-request-id', 'openai-processing-ms', 'x-should-retry', 'pawl-response-id', 'pawl-ignored-tools'],
  ...['ratelimit', 'ratelimit-policy'],
];

/** Checks an answer against the document. A failure names the operation and the answer. */
export function keepTo({ method, path, status, headers, text }: Exchange): {
  operation: Operation;
  code: string | null;
} {
  const operation = operationAt(method, path);
  const summary = `${operation.operationId} ${status} ${text.slice(0, 300)}`;
  const response = operation.responses[status];
  expect(response, `not described: ${summary}`).toBeDefined();

  for (const name of OURS.filter((one) => headers.has(one))) {
    expect(
      Object.keys(response?.headers ?? {}).map((one) => one.toLowerCase()),
      summary,
    ).toContain(name);
  }
  for (const [name, { required }] of Object.entries(response?.headers ?? {})) {
    if (required) expect(headers.has(name), `${name} is missing: ${summary}`).toBe(true);
  }
  const type = headers.get('content-type')?.split(';')[0] ?? null;
  const content = response?.content && (response.content[type ?? ''] ?? null);
  expect(content, `another content type: ${summary}`).not.toBeNull();
  if (type !== 'application/json') return { operation, code: null };

  const body = JSON.parse(text);
  const place = [...placeOfResponse(operation, String(status)), 'content', type, 'schema'];
  expect(problemsAt(place, body), summary).toEqual([]);
  const code: string | null = body.error?.code ?? null;
  // The answer to a failed response has the error of its turn, which is not a refusal.
  if (status >= 400 && !headers.has('pawl-response-id'))
    expect(Object.keys(content?.examples ?? {}), summary).toContain(code);
  return { operation, code };
}

/** Returns the operation for a path. An operation with the literal path takes precedence. */
function operationAt(method: string, path: string): Operation {
  const place = path.split('?')[0] ?? '';
  const fitting = operations
    .filter((one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(place))
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
  if (!fitting[0]) throw new Error(`${method} ${path} is not described`);
  return fitting[0];
}
