import { expect, test } from 'vitest';
import { makeHostLimiter } from '#services/worker/host-limiter.ts';
import { createHarness, letTimePass, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';

test('a receiver that hangs has half the places of a worker, and the others are delivered to meanwhile', async () => {
  await using harness = await createHarness({ env: { PAWL_WORKER_CONCURRENCY: '8' } });
  let isHanging = true;
  await using hanging = await openExternalServer(() => (isHanging ? null : { status: 200 }));
  await using healthy = await openExternalServer();
  for (let number = 1; number <= 9; number += 1) {
    await harness.startTurn({ input: 'Hi', webhook: { url: `${hanging.url}${number}` } });
  }
  await harness.startTurn({ input: 'Hi', webhook: { url: healthy.url } });
  await using _worker = await startBackgroundWorker(harness);

  await healthy.arrival(1);
  const meanwhile = hanging.caught.length;
  isHanging = false;
  for (const caught of hanging.caught) caught.answer({ status: 200 });

  expect(meanwhile).toBeLessThanOrEqual(4);
});

test('what was put back is no attempt, and is delivered later', async () => {
  await using harness = await createHarness({ env: { PAWL_WORKER_CONCURRENCY: '2' } });
  await using receiver = await openExternalServer((number) => (number === 1 ? null : { status: 200 }));
  for (const path of ['1', '2']) await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url + path } });
  while (await harness.workOnce(async (job) => (job.name === 'deliver-webhook' ? undefined : harness.handle(job))));
  const rows = await harness.db.selectFrom('deliveries').select('id').orderBy('id').execute();
  const deliver = (index: number) => harness.handle({ name: 'deliver-webhook', data: { deliveryId: rows[index]!.id } });

  const hanging = deliver(0);
  const first = await receiver.arrival(1);
  await deliver(1);
  const waiting = await harness.call('GET', `/v1/deliveries/${rows[1]!.id}`);
  first.answer({ status: 200 });
  await hanging;
  await letTimePass(harness);

  expect(waiting.body).toMatchObject({ status: 'pending', attempts: 0, log: [] });
  expect(await harness.call('GET', `/v1/deliveries/${rows[1]!.id}`)).toMatchObject({
    body: { status: 'delivered', attempts: 1, log: [{ attempt: 1 }] },
  });
});

test('a receiver that answers gives each the place of the one before, in their order', async () => {
  const receivers = makeHostLimiter(2, 60_000);
  const [url, other] = ['https://example.com/a', 'https://example.com:8443/'];
  const first = await receivers.acquire(url);
  const order: string[] = [];

  const enter = async (name: string, slot: Promise<Disposable | null>) => {
    const entered = await slot;
    order.push(name);
    return entered;
  };
  const second = enter('second', receivers.acquire('https://EXAMPLE.com:443/b'));
  const third = enter('third', receivers.acquire(url));
  const elsewhere = await receivers.acquire(other);
  first![Symbol.dispose]();
  (await second)![Symbol.dispose]();
  await third;

  expect(order).toEqual(['second', 'third']);
  expect(elsewhere).not.toBeNull();
});

test('a receiver that has not got on for its time is not waited for', async () => {
  const receivers = makeHostLimiter(2, 1);
  using _place = await receivers.acquire('https://example.com/');

  expect(await receivers.acquire('https://example.com/')).toBeNull();
  expect(await receivers.acquire('https://example.com/')).toBeNull();
});
