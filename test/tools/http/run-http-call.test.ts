import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runCall } from '#core/tools/run/call.ts';
import { callContext, preparedCall } from '../calls.ts';
import { type Answer, closedPort, silentServer, toolServer } from '../servers.ts';

test('the arguments are sent as JSON, with key, turn and headers of the tool', async () => {
  await using server = await toolServer(() => ({ status: 200, body: '{"temp":18}' }));

  const { result, full } = await call(server, { args: { city: 'Tōkyō' }, headers: { 'X-Team': 'blue' } });

  expect(result).toMatchObject({ status: 'success', content: '{"temp":18}', attempts: 1, truncated: false });
  expect(full).toBe('{"temp":18}');
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      body: '{"city":"Tōkyō"}',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'turn_1.1.call_1',
        'pawl-turn-id': 'turn_1',
        'x-team': 'blue',
      },
    },
  ]);
});

test('no header of the tool replaces a header of Pawl', async () => {
  await using server = await toolServer(() => ({ status: 200 }));

  await call(server, { headers: { 'IDEMPOTENCY-KEY': 'mine', 'Content-Type': 'text/plain', 'Pawl-Turn-Id': 'other' } });

  expect(server.received[0]?.headers).toMatchObject({
    'idempotency-key': 'turn_1.1.call_1',
    'content-type': 'application/json',
    'pawl-turn-id': 'turn_1',
  });
});

test('the caller signs the body as sent', async () => {
  await using server = await toolServer(() => ({ status: 200 }));
  const signHeaders = (body: string) => ({ 'webhook-signature': `v1,${body.length}` });

  await call(server, { args: { a: 1 }, context: { signHeaders } });

  expect(server.received[0]?.headers['webhook-signature']).toBe('v1,7');
});

test.for([
  ['text', 200, 'It rains.', 'It rains.'],
  ['nothing', 204, undefined, ''],
  ['JSON with numbers that JavaScript cannot hold', 201, '{"id":9007199254740993}', '{"id":9007199254740993}'],
] as const)('a 2xx response with %s is the result, unchanged', async ([, status, body, content]) => {
  await using server = await toolServer(() => (body === undefined ? { status } : { status, body }));

  const { result } = await call(server);

  expect(result).toMatchObject({ status: 'success', content });
});

test.for([
  [302, 'permission_denied', 1],
  [400, 'invalid_arguments', 1],
  [401, 'authentication_failed', 1],
  [403, 'permission_denied', 1],
  [404, 'resource_not_found', 1],
  [408, 'execution_timeout', 3],
  [409, 'unknown', 1],
  [422, 'invalid_arguments', 1],
  [429, 'rate_limited', 3],
  [500, 'unknown', 3],
  [502, 'network_error', 3],
  [503, 'network_error', 3],
  [504, 'network_error', 3],
] as const)('status %i is %s after %i attempts of an idempotent tool', async ([status, category, attempts]) => {
  await using server = await toolServer(() => ({ status, headers: { location: 'http://127.0.0.1:1/' } }));

  const { result } = await call(server, { effect: 'idempotent' });

  expect(result).toMatchObject({ status: 'error', attempts, error: { category, details: { status } } });
  expect(server.received).toHaveLength(attempts);
  expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test.for([
  [408, 'execution_timeout'],
  [429, 'rate_limited'],
  [500, 'unknown'],
  [503, 'network_error'],
  [504, 'outcome_unknown'],
] as const)('status %i of an at_most_once tool is %s, without a retry', async ([status, category]) => {
  await using server = await toolServer(() => ({ status }));

  const { result } = await call(server, { effect: 'at_most_once' });

  expect(result).toMatchObject({ attempts: 1, error: { category } });
  expect(server.received).toHaveLength(1);
});

test('the error text of the tool reaches the model', async () => {
  await using server = await toolServer(() => ({ status: 404, body: '{"error":"No such city"}' }));

  const { result } = await call(server);

  expect(result.error?.message).toBe('The tool answered 404: {"error":"No such city"}');
});

test.for([
  [200, 'unknown', "The tool's answer came as gzip, which was not asked for, and cannot be read."],
  [404, 'resource_not_found', 'The tool answered 404.'],
] as const)('a compressed answer with %i is not read as text', async ([status, category, message]) => {
  const body = gzipSync('It rains.');
  await using server = await toolServer(() => ({ status, body, headers: { 'content-encoding': 'gzip' } }));

  const { result } = await call(server, { effect: 'at_most_once' });

  expect(result).toMatchObject({ attempts: 1, error: { category, message } });
});

test('a content encoding that does not compress leaves the answer unchanged', async () => {
  await using server = await toolServer(() => ({
    status: 200,
    body: 'It rains.',
    headers: { 'content-encoding': 'utf-8' },
  }));

  const { result } = await call(server);

  expect(result.content).toBe('It rains.');
});

test('a call of a tool that fails once is retried', async () => {
  const answers: Answer[] = [{ status: 503 }, { status: 200, body: 'ok' }];
  await using server = await toolServer(() => answers.shift() ?? { status: 500 });

  const { result } = await call(server, { effect: 'idempotent' });

  expect(result).toMatchObject({ status: 'success', content: 'ok', attempts: 2 });
});

test('a retry waits for Retry-After', async () => {
  const answers: Answer[] = [
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 200, body: 'ok' },
  ];
  await using server = await toolServer(() => answers.shift() ?? { status: 500 });

  const { result } = await call(server, { effect: 'none' });

  expect(result).toMatchObject({ status: 'success', attempts: 2 });
  expect(result.duration_ms).toBeGreaterThanOrEqual(990);
});

test('a Retry-After of more than a minute reaches the model, without a retry', async () => {
  await using server = await toolServer(() => ({ status: 429, headers: { 'retry-after': '3600' } }));

  const { result } = await call(server, { effect: 'none' });

  expect(result).toMatchObject({
    attempts: 1,
    error: { category: 'rate_limited', details: { status: 429, retry_after_seconds: 3600 } },
  });
});

test.for([
  ['none', 'execution_timeout', 2],
  ['at_most_once', 'outcome_unknown', 1],
] as const)('a call with effect %s to a tool that does not answer is %s', async ([effect, category, attempts]) => {
  await using server = await silentServer(() => {});

  const { result } = await call(server, { effect, timeoutMs: 1_500, maxAttempts: 2 });

  expect(result).toMatchObject({ attempts, error: { category } });
});

test.for([
  ['idempotent', 'network_error', 3],
  ['at_most_once', 'outcome_unknown', 1],
] as const)(
  'a call with effect %s is %s if the connection breaks before the answer',
  async ([effect, category, attempts]) => {
    await using server = await silentServer((socket) => socket.once('data', () => socket.resetAndDestroy()));

    const { result } = await call(server, { effect });

    expect(result).toMatchObject({ attempts, error: { category } });
  },
);

test('an at_most_once call is retried if the connection is refused', async () => {
  const port = await closedPort();

  const { result } = await call({ url: `http://127.0.0.1:${port}/` }, { effect: 'at_most_once' });

  expect(result).toMatchObject({ attempts: 3, error: { category: 'network_error' } });
});

test('a private address that is not allowed is permission_denied, without a retry', async () => {
  const { result } = await call({ url: 'http://127.0.0.2:9/' }, { effect: 'idempotent' });

  expect(result).toMatchObject({ attempts: 1, error: { category: 'permission_denied' } });
});

test('aborting the call rejects with the reason and closes the connection', async () => {
  const ending = new AbortController();
  const closed = Promise.withResolvers<void>();
  await using server = await silentServer((socket) => {
    socket.once('data', () => ending.abort('cancelled'));
    socket.once('close', () => closed.resolve());
  });

  const running = call(server, { context: { signal: ending.signal } });

  await expect(running).rejects.toBe('cancelled');
  await closed.promise;
});

test('an endless answer is read up to the limit and marked as truncated', async () => {
  await using server = await toolServer(() => ({ status: 200, body: 'x'.repeat(6 * 1024 * 1024) }));

  const { result, full } = await call(server);

  expect(result).toMatchObject({ status: 'success', truncated: true });
  expect(result.content).toMatch(/bytes cut.*\n/);
  expect(full).toMatch(/\[… the rest was not read …\]$/);
  expect(full?.length).toBeLessThanOrEqual(4 * 1024 * 1024);
});

type Setting = {
  args?: Record<string, unknown>;
  headers?: Record<string, string>;
  effect?: 'none' | 'idempotent' | 'at_most_once';
  timeoutMs?: number;
  maxAttempts?: number;
  context?: Parameters<typeof callContext>[1];
};

async function call({ url }: { url: string }, setting: Setting = {}) {
  const { args, headers = {}, effect, timeoutMs, maxAttempts = 3, context: more } = setting;
  await using context = callContext([], more);
  const execution = { kind: 'http', url, headers };
  const retry = { max_attempts: maxAttempts, backoff_ms: 0 };
  return await runCall(preparedCall({ execution, effect, timeout_ms: timeoutMs, retry }, args), context);
}
