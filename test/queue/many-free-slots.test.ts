import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { createTestDatabase, testRedisUrl } from '#test/harness/stores/test-database.ts';
import { newWakeup } from './job-queue-exam.ts';

const JOBS = 32;

describeQueue(({ redis }) => {
  test('a worker with many free slots starts all waiting jobs in few round trips', async () => {
    await using way = await openCountedWay(redis ? testRedisUrl() : await createTestDatabase());
    const jobQueue = await openPatientQueue(redis ? { databaseUrl: '', redisUrl: way.url } : { databaseUrl: way.url });
    await jobQueue.enqueue(Array.from({ length: JOBS }, () => newWakeup()));
    const before = way.sent();
    const allBegun = Promise.withResolvers<number>();
    let begun = 0;

    const workers = await jobQueue.work(
      ['turns-openai'],
      async () => {
        begun += 1;
        if (begun === JOBS) allBegun.resolve(way.sent() - before);
        await allBegun.promise;
      },
      2 * JOBS,
    );

    expect(await allBegun.promise).toBeLessThan(JOBS);
    await workers.close(5_000);
    await jobQueue.close();
  });
});

/** Opens a proxy to a store that counts the messages to the store. */
async function openCountedWay(target: string): Promise<AsyncDisposable & { url: string; sent(): number }> {
  const { port, hostname } = new URL(target);
  let sent = 0;
  const server = createServer((client) => {
    const store = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
    client.on('data', () => {
      sent += 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = Object.assign(new URL(target), {
    hostname: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
  }).href;
  return { url, sent: () => sent, [Symbol.asyncDispose]: async () => void server.close() };
}
