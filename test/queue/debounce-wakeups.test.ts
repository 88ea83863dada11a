import type { BackendFactory, IQueueBackend } from 'bullmq';
import { expect, test } from 'vitest';
import { debounceWakeups } from '#core/queue/postgres/debounce-wakeups.ts';

type Store = { handsOut: unknown; wakes: boolean };

/** A worker on as much of a BullMQ store as its waiting has to do with. All pauses it makes pass at once. */
function openWorker({ handsOut, wakes }: Store) {
  const store = {
    moveToCompleted: async () => ({ result: [handsOut, 'id', 0, 0], finishedOn: 0 }),
    waitForJob: async () => (wakes ? { member: '0', score: 0 } : null),
  };
  let now = 0;
  const pass = async (ms: number) => {
    now += ms;
  };
  const make = (() => store) as unknown as BackendFactory;
  const backend: Pick<IQueueBackend, 'moveToCompleted' | 'waitForJob'> = debounceWakeups(make, {
    now: () => now,
    pause: pass,
  })('turns', {} as never);
  return {
    endJob: () => backend.moveToCompleted({} as never, null, true, 'token', true),
    rest: pass,
    /** Waits until it is woken, and tells after how many milliseconds. */
    wait: async () => {
      const since = now;
      await backend.waitForJob(5);
      return now - since;
    },
  };
}

test('a worker with jobs that hand out the next ones is woken a little later', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: true });
  await worker.endJob();

  expect(await worker.wait()).toBe(5);
});

test('a worker that has been at rest is woken at once', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: true });

  expect(await worker.wait()).toBe(0);

  await worker.endJob();
  await worker.rest(5);
  expect(await worker.wait()).toBe(0);
});

test('a worker that found nothing after its last job is woken at once', async () => {
  const worker = openWorker({ handsOut: null, wakes: true });
  await worker.endJob();

  expect(await worker.wait()).toBe(0);
});

test('a worker that waited in vain goes on at once', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: false });
  await worker.endJob();

  expect(await worker.wait()).toBe(0);
});
