import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ToolFailed } from '#core/tools/define/tool.ts';
import { runCall } from '#core/tools/run/call.ts';
import { callContext, preparedCall } from '../calls.ts';
import { closedPort } from '../servers.ts';
import { runServerTool as run } from './run-server-tool.ts';

test('the return value of a tool is the answer, with duration and attempts', async () => {
  const { result, full } = await run(({ n }) => ({ doubled: (n ?? 0) * 2 }), { args: { n: 21 } });

  expect(result).toEqual({
    status: 'success',
    content: '{"doubled":42}',
    error: null,
    truncated: false,
    cached: false,
    duration_ms: expect.any(Number),
    attempts: 1,
  });
  expect(full).toBe('{"doubled":42}');
});

test('a tool gets its turn and its key, and reports progress during the call', async () => {
  const reported: unknown[] = [];

  const { result } = await run(
    (_, { turnId, idempotencyKey, progress }) => {
      progress({ percent: 50 });
      progress(1n);
      return `${turnId} ${idempotencyKey}`;
    },
    { context: { progress: (value) => reported.push(value) } },
  );

  expect(result.content).toBe('turn_1 turn_1.1.call_1');
  expect(reported).toEqual([{ percent: 50 }]);
});

test('a thrown error is an unknown error with its message, made safe and short', async () => {
  const { result } = await run(() => {
    throw new Error(`no\u0000 ${'x'.repeat(5000)}`);
  });

  expect(result).toMatchObject({ status: 'error', content: null, attempts: 1, error: { category: 'unknown' } });
  expect(result.error?.message).toMatch(/^no\uFFFD x+…$/);
  expect(result.error?.message).toHaveLength(2000);
});

test('ToolFailed gives the category, the message and the details of the error', async () => {
  const { result } = await run(() => {
    throw new ToolFailed('resource_not_found', 'No such city', { city: 'Atlantis', seen: undefined });
  });

  expect(result.error).toEqual({
    category: 'resource_not_found',
    message: 'No such city',
    details: { city: 'Atlantis' },
  });
});

test('details that are not JSON do not hide the failure', async () => {
  const { result } = await run(() => {
    throw new ToolFailed('unknown', 'Odd', { n: 1n });
  });

  expect(result.error).toMatchObject({ message: 'Odd', details: { left_out: 'the details were not JSON' } });
});

test('a thrown value that is not an error is reported as text', async () => {
  const { result } = await run(() => Promise.reject('out of paper'));

  expect(result.error).toMatchObject({ category: 'unknown', message: 'out of paper' });
});

test('arguments that only the input schema can refuse are refused', async () => {
  const input = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });

  const { result } = await run(() => 'never', { args: { n: 3 }, options: { input: input as never } });

  expect(result.error).toMatchObject({
    category: 'invalid_arguments',
    message: expect.stringContaining('n: must be even'),
  });
});

test('a result that breaks the output schema is an error, without a retry', async () => {
  const output = z.object({ id: z.string() });

  const { result } = await run(() => ({ id: 7 }), { effect: 'idempotent', options: { output: output as never } });

  expect(result).toMatchObject({
    attempts: 1,
    error: { category: 'unknown', message: expect.stringContaining('id: ') },
  });
});

test('a result that is not JSON is an error with a message', async () => {
  const { result } = await run(() => ({ n: 1n }));

  expect(result).toMatchObject({
    status: 'error',
    error: { category: 'unknown', message: expect.stringContaining('BigInt') },
  });
});

test('a tool that takes too long is aborted and answered execution_timeout', async () => {
  const aborted: boolean[] = [];

  const { result } = await run((_, { signal }) => once(signal, 'abort').finally(() => aborted.push(signal.aborted)), {
    effect: 'none',
    timeoutMs: 30,
    maxAttempts: 1,
  });

  expect(result.error).toMatchObject({ category: 'execution_timeout', message: expect.stringContaining('30 ms') });
  expect(aborted).toEqual([true]);
});

test('late progress of a tool that ignores its signal is dropped', async () => {
  const reported: unknown[] = [];
  const late = Promise.withResolvers<void>();

  const { result } = await run(
    async (_, { progress }) => {
      await late.promise;
      progress('too late');
      throw new Error('too late');
    },
    { effect: 'none', timeoutMs: 20, maxAttempts: 1, context: { progress: (value) => reported.push(value) } },
  );
  late.resolve();
  await new Promise(setImmediate);

  expect(result.error?.category).toBe('execution_timeout');
  expect(reported).toEqual([]);
});

test('an at_most_once tool that takes too long has an unknown outcome', async () => {
  let calls = 0;

  const { result } = await run(
    () => {
      calls += 1;
      return new Promise(() => {});
    },
    { effect: 'at_most_once', timeoutMs: 20 },
  );

  expect(result).toMatchObject({ status: 'error', attempts: 1, error: { category: 'outcome_unknown' } });
  expect(calls).toBe(1);
});

test('a connection that a tool could not open is a network error', async () => {
  const port = await closedPort();

  const { result } = await run(() => new Promise((_, reject) => connect(port, '127.0.0.1').on('error', reject)), {
    effect: 'none',
  });

  expect(result).toMatchObject({
    attempts: 3,
    error: { category: 'network_error', message: expect.stringContaining('ECONNREFUSED') },
  });
});

test('the error of a failed fetch has the reason', async () => {
  const port = await closedPort();

  const { result } = await run(() => fetch(`http://127.0.0.1:${port}`), { effect: 'none', maxAttempts: 1 });

  expect(result.error).toMatchObject({ category: 'network_error', message: expect.stringContaining('fetch failed: ') });
});

test('an output over the limit is truncated for the model and kept in full', async () => {
  const { result, full } = await run(() => 'x'.repeat(300), { context: { outputLimit: 100 } });

  expect(result).toMatchObject({ truncated: true, content: expect.stringContaining('[… 200 bytes cut …]') });
  expect(full).toHaveLength(300);
});

test('a tool that this process did not load is answered resource_not_found', async () => {
  await using context = callContext([]);

  const { result } = await runCall(preparedCall({ name: 'gone', execution: { kind: 'server' } }), context);

  expect(result.error?.category).toBe('resource_not_found');
});
