import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepConnection } from '#core/tools/mcp/connection.ts';

test('a reconnect to an unavailable server waits a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const connect = vi.fn(() => Promise.reject(new Error('down')));
  const connection = keepConnection(connect);
  const use = () => connection.run(async () => {}, new AbortController().signal);

  await expect(use()).rejects.toThrow('down');
  const next = expect(use()).rejects.toThrow('down');
  await nextTick();
  const early = connect.mock.calls.length;
  await next;

  expect([early, connect.mock.calls.length]).toEqual([1, 2]);
});
