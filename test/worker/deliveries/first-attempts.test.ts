import { sql } from 'kysely';
import { expect } from 'vitest';
import { takeDeliveries } from '#core/checkpoint/webhooks/take-deliveries.ts';
import { EgressFailed } from '#core/egress/failure.ts';
import { deliverWebhook } from '#services/worker/deliver-webhook.ts';
import { makeDeliverySlots } from '#services/worker/deliveries/delivery-slots.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';

test('more hanging endpoints than waiting attempts do not delay a new endpoint', async ({ harness }) => {
  await using hanging = await openExternalServer(() => null);
  await using healthy = await openExternalServer();
  for (let number = 1; number <= 60; number += 1) await createEndpoint(harness, `${hanging.url}${number}`);
  await using _worker = await startBackgroundWorker(harness, { concurrency: 8 });
  await harness.startTurn({ input: 'Hi' });
  await hanging.arrival(60);

  await createEndpoint(harness, healthy.url);
  await harness.startTurn({ input: 'Hi' });
  await healthy.arrival(1);

  // No attempt has ended before this and freed its slot.
  expect(new Set([...(await attemptedUrls(harness)), healthy.url])).toEqual(new Set([healthy.url]));
  for (const caught of hanging.caught) caught.answer({ status: 410 });
});

test('a new receiver gets a single attempt without a slot', async ({ harness }) => {
  const endpoints = [];
  for (let number = 1; number <= 5; number += 1)
    endpoints.push(await createEndpoint(harness, `http://127.0.0.1:9/${number}`));
  for (let number = 1; number <= 3; number += 1) await harness.startTurn({ input: 'Hi' });
  while (await harness.workOnce());
  const [answered, failed, asked, ...others] = endpoints.map(({ id }) => ({ project: 'default', receiver: id }));
  const limits = { project: 'default', weight: 1, busy: 0, room: 4, doubtfulRoom: 1, firstRoom: 8 };
  const room = {
    ...{ firsts: 8, projects: [limits], answering: [answered!], doubtful: [failed!], hanging: [] },
    ...{ receivers: [{ ...asked!, busy: 1, room: 3 }], unknown: { project: 8, receiver: 4 } },
  };

  const [withoutSlots, withSlots] = [
    await takeDeliveries(harness.db, { ...room, free: 0 }),
    await takeDeliveries(harness.db, { ...room, free: 8, firsts: 0 }),
  ];

  const receiversOf = (taken: typeof withSlots) => taken.map(({ receiver }) => receiver).sort();
  expect(withoutSlots.every(({ isFirst }) => isFirst)).toBe(true);
  expect(receiversOf(withoutSlots)).toEqual(others.map(({ receiver }) => receiver).sort());
  expect(receiversOf(withSlots)).toEqual([...Array(3).fill(answered!.receiver), failed!.receiver].sort());
});

test('a receiver without an answer gets further attempts in slots, up to its window', async ({ harness }) => {
  const { id: receiver } = await createEndpoint(harness, 'http://127.0.0.1:9/');
  for (let number = 1; number <= 3; number += 1) await harness.startTurn({ input: 'Hi' });
  while (await harness.workOnce());
  const limits = { project: 'default', weight: 1, busy: 3, room: 4, doubtfulRoom: 2, firstRoom: 8 };

  const taken = await takeDeliveries(harness.db, {
    ...{ free: 8, firsts: 8, projects: [limits], answering: [], doubtful: [], hanging: [] },
    ...{ receivers: [{ project: 'default', receiver, busy: 3, room: 1 }], unknown: { project: 8, receiver: 4 } },
  });

  expect(taken.map(({ isFirst }) => isFirst)).toEqual([false]);
});

test('first attempts need no slots, and leave a quarter of the room to other projects', () => {
  const slots = makeDeliverySlots(8);
  const configured = ['a', 'b'].map((name) => ({ name, weight: 1 }));
  const enter = (receiver: string, isFirst: boolean) =>
    slots.enter({ project: 'a', receiver, url: '', endpoint: null, isFirst });
  for (const receiver of ['1', '2', '3']) enter(receiver, false);
  const before = slots.room(configured);

  for (let number = 0; number < 750; number += 1) enter(`first ${number}`, true);
  const after = slots.room(configured);

  expect([before.free, after.free]).toEqual([5, 5]);
  expect([before, after].map(({ projects }) => projects[0]?.firstRoom)).toEqual([750, 0]);
  expect([before.firsts, after.firsts]).toEqual([64, 64]);
});

test.each([
  ['hangs', 'timeout', false],
  ['is cut off', 'cut', true],
] as const)('a webhook with an answer that %s after a 200 is delivered', async (_, kind, hasAnswered) => {
  await using harness = await createHarness();
  await createEndpoint(harness, 'http://127.0.0.1:9/');
  await harness.startTurn({ input: 'Hi' });
  while (await harness.workOnce());
  const [delivery] = await takeDeliveries(harness.db, {
    ...{ free: 1, firsts: 0, projects: [], receivers: [], answering: [], doubtful: [], hanging: [] },
    unknown: { project: 1, receiver: 1 },
  });
  const send = async () => {
    throw new EgressFailed(kind, 'The answer has no end.', { sent: true, status: 200, body: '.' });
  };

  const outcome = await deliverWebhook(delivery!, { ...harness.worker, egress: { ...harness.worker.egress, send } });

  expect(outcome).toMatchObject({ hasAnswered });
  expect(await harness.call('GET', `/v1/deliveries/${delivery!.id}`)).toMatchObject({
    body: { status: 'delivered' },
  });
});

async function attemptedUrls({ db }: Harness): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select url from delivery_attempts join deliveries on id = delivery_id`.execute(db);
  return rows.map(({ url }) => url);
}
