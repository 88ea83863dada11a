import type { BackendFactory, IQueueBackend } from 'bullmq';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { debounceWakeups } from '#core/queue/postgres/debounce-wakeups.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Store = { handsOut: unknown; wakes: boolean };

/** As much of a BullMQ store as a worker that waits has to do with. */
function openBackend({ handsOut, wakes }: Store): Pick<IQueueBackend, 'moveToCompleted' | 'waitForJob'> {
  const store = {
    moveToCompleted: async () => ({ result: [handsOut, 'id', 0, 0], finishedOn: 0 }),
    waitForJob: async () => (wakes ? { member: '0', score: 0 } : null),
  };
  return debounceWakeups((() => store) as unknown as BackendFactory)('turns', {} as never);
}

/** Whether a worker that waits now is woken at once. */
async function isWokenAtOnce({ waitForJob }: Pick<IQueueBackend, 'waitForJob'>): Promise<boolean> {
  let isWoken = false;
  const waiting = waitForJob(5).then(() => {
    isWoken = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  const atOnce = isWoken;
  await vi.advanceTimersByTimeAsync(5);
  await waiting;
  return atOnce;
}

function endJob(backend: Pick<IQueueBackend, 'moveToCompleted'>) {
  return backend.moveToCompleted({} as never, null, true, 'token', true);
}

test('a worker with jobs that hand out the next ones is woken a little later', async () => {
  const backend = openBackend({ handsOut: { name: 'run-round' }, wakes: true });
  await endJob(backend);

  expect(await isWokenAtOnce(backend)).toBe(false);
});

test('a worker that has been at rest is woken at once', async () => {
  const backend = openBackend({ handsOut: { name: 'run-round' }, wakes: true });

  expect(await isWokenAtOnce(backend)).toBe(true);

  await endJob(backend);
  await vi.advanceTimersByTimeAsync(5);
  expect(await isWokenAtOnce(backend)).toBe(true);
});

test('a worker that found nothing after its last job is woken at once', async () => {
  const backend = openBackend({ handsOut: null, wakes: true });
  await endJob(backend);

  expect(await isWokenAtOnce(backend)).toBe(true);
});

test('a worker that waited in vain goes on at once', async () => {
  const backend = openBackend({ handsOut: { name: 'run-round' }, wakes: false });
  await endJob(backend);

  expect(await isWokenAtOnce(backend)).toBe(true);
});
