import { expect, test } from 'vitest';
import { ToolFailed } from '#core/tools/define/tool.ts';
import { runServerTool as run } from './run-server-tool.ts';

test.for(['none', 'idempotent'] as const)('a call with effect %s is retried after a timeout', async (effect) => {
  let calls = 0;

  const { result } = await run(
    () => {
      calls += 1;
      return calls < 3 ? new Promise(() => {}) : 'at last';
    },
    { effect, timeoutMs: 20 },
  );

  expect(result).toMatchObject({ status: 'success', content: 'at last', attempts: 3 });
});

test('every attempt has the same idempotency key', async () => {
  const keys: string[] = [];

  await run(
    (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw new ToolFailed('network_error', 'gone');
    },
    { effect: 'idempotent' },
  );

  expect(keys).toEqual(['turn_1.1.call_1', 'turn_1.1.call_1', 'turn_1.1.call_1']);
});

test.for([
  ['unknown', 1],
  ['invalid_arguments', 1],
  ['permission_denied', 1],
  ['network_error', 3],
  ['rate_limited', 3],
  ['execution_timeout', 3],
] as const)('a failure %s allows %i attempts', async ([category, attempts]) => {
  const { result } = await run(
    () => {
      throw new ToolFailed(category, 'no');
    },
    { effect: 'none' },
  );

  expect(result).toMatchObject({ attempts, error: { category } });
});

test('a failure reported by an at_most_once tool is the result, without a retry', async () => {
  const { result } = await run(() => {
    throw new ToolFailed('network_error', 'gone');
  });

  expect(result).toMatchObject({ attempts: 1, error: { category: 'network_error', message: 'gone' } });
});

test('aborting the call rejects with the reason, and the tool sees the abort', async () => {
  const ending = new AbortController();
  const reasons: unknown[] = [];
  const reason = new Error('the turn was cancelled');

  const running = run(
    (_, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      ending.abort(reason);
      return new Promise(() => {});
    },
    { context: { signal: ending.signal } },
  );

  await expect(running).rejects.toBe(reason);
  expect(reasons).toEqual([reason]);
});

test('a call that is aborted before its start does not run the tool', async () => {
  const calls: number[] = [];

  const running = run(() => calls.push(1), { context: { signal: AbortSignal.abort('shutdown') } });

  await expect(running).rejects.toBe('shutdown');
  expect(calls).toEqual([]);
});

test('aborting between two attempts rejects at once', async () => {
  const ending = new AbortController();

  const running = run(
    () => {
      setImmediate(() => ending.abort('shutdown'));
      throw new ToolFailed('network_error', 'gone');
    },
    { effect: 'none', backoffMs: 60_000, context: { signal: ending.signal } },
  );

  await expect(running).rejects.toBe('shutdown');
});

test('beforeAttempt can end the call', async () => {
  const attempts: number[] = [];
  const lost = new Error('the lease was lost');

  const running = run(
    () => {
      throw new ToolFailed('network_error', 'gone');
    },
    {
      effect: 'idempotent',
      context: {
        async beforeAttempt(attempt) {
          attempts.push(attempt);
          if (attempt === 2) throw lost;
        },
      },
    },
  );

  await expect(running).rejects.toBe(lost);
  expect(attempts).toEqual([1, 2]);
});
