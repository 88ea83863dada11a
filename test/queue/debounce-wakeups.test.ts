import type { BackendFactory, IQueueBackend } from 'bullmq';
import { expect, test } from 'vitest';
import { debounceWakeups } from '#core/queue/postgres/debounce-wakeups.ts';

type Store = { handsOut: unknown; wakes: boolean };

/** Opens a worker on a fake BullMQ store with only the waiting part. All its pauses pass at once. */
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
    /** Waits for the wakeup, and returns the milliseconds that this took. */
    wait: async () => {
      const since = now;
      await backend.waitForJob(5);
      return now - since;
    },
  };
}

test('a worker with jobs that return the next job is woken a little later', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: true });
  await worker.endJob();

  expect(await worker.wait()).toBe(5);
});

test('a worker that was idle is woken at once', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: true });

  expect(await worker.wait()).toBe(0);

  await worker.endJob();
  await worker.rest(5);
  expect(await worker.wait()).toBe(0);
});

test('a worker without a job after its last job is woken at once', async () => {
  const worker = openWorker({ handsOut: null, wakes: true });
  await worker.endJob();

  expect(await worker.wait()).toBe(0);
});

test('a worker continues at once after a wait without a wakeup', async () => {
  const worker = openWorker({ handsOut: { name: 'run-round' }, wakes: false });
  await worker.endJob();

  expect(await worker.wait()).toBe(0);
});
