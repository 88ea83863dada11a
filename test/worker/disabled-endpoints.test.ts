import { expect, test } from 'vitest';
import { describeRefusal } from '#test/api/refusals.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { letTimePass } from '#test/world/let-time-pass.ts';
import { openStranger } from '#test/world/stranger.ts';
import { createEndpoint, type Delivery, deliveriesTo, findEndpoint, verified } from '#test/world/webhook-endpoint.ts';

const HOUR = 3_600_000;

test('410 disables an endpoint at once: what was pending stops, and others are told', async () => {
  await using world = await createWorld();
  await using gone = await openStranger((number) => ({ status: number === 1 ? 500 : 410 }));
  await using watcher = await openStranger();
  const endpoint = await createEndpoint(world, gone.url);
  const { secrets } = await createEndpoint(world, watcher.url, { events: ['webhook_endpoint.disabled'] });
  await world.startTurn({ input: 'First' });
  await world.workUntilIdle();

  await world.startTurn({ input: 'Second' });
  await world.workUntilIdle();
  await world.startTurn({ input: 'Third' });
  await letTimePass(world);

  const reason = 'The receiver answered 410: it wants no more events.';
  expect(await findEndpoint(world, endpoint)).toMatchObject({ status: 'disabled', disabled_reason: reason });
  expect(gone.caught).toHaveLength(2);
  expect(await deliveriesTo(world, endpoint.id)).toMatchObject([
    { status: 'failed', last_status_code: 410, last_error: reason },
    { status: 'failed', last_status_code: 500, next_attempt_at: null, last_error: expect.stringContaining('disabled') },
  ]);
  expect(watcher.caught.map((caught) => verified(caught, secrets[0]!))).toMatchObject([
    {
      type: 'webhook_endpoint.disabled',
      data: { id: endpoint.id, url: gone.url, disabled_reason: reason },
    },
  ]);
});

test('what tells of an endpoint can be read, and delivered once more, like any delivery', async () => {
  await using world = await createWorld();
  await using gone = await openStranger(() => ({ status: 410 }));
  await using watcher = await openStranger();
  await createEndpoint(world, gone.url);
  const { id } = await createEndpoint(world, watcher.url, { events: ['webhook_endpoint.disabled'] });
  await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();

  const [delivery] = await deliveriesTo(world, id);
  const read = await world.call('GET', `/v1/deliveries/${delivery!.id}`);
  await world.call('POST', `/v1/deliveries/${delivery!.id}/redeliver`);
  await world.workUntilIdle();

  expect(read.body).toMatchObject({ type: 'webhook_endpoint.disabled', webhook_endpoint_id: id, status: 'delivered' });
  expect(watcher.caught.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(delivery!.event_id));
});

test('an endpoint is disabled after five days without one success, and not before', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger(() => ({ status: 503 }));
  const endpoint = await createEndpoint(world, receiver.url);
  const failOnce = async (input: string) => {
    await world.startTurn({ input });
    await world.workUntilIdle();
    return findEndpoint(world, endpoint);
  };

  const first = await failOnce('First');
  await world.advance(119 * HOUR);
  const second = await failOnce('Second');
  await world.advance(2 * HOUR);
  const third = await failOnce('Third');

  expect(first).toMatchObject({ status: 'enabled', failing_since: expect.stringMatching(/Z$/) });
  expect(second).toMatchObject({ status: 'enabled' });
  expect(third).toMatchObject({
    status: 'disabled',
    disabled_reason: 'Nothing came through for 5 days. In the end: The receiver answered 503.',
  });
  expect((await deliveriesTo(world, endpoint.id)).map(({ status }) => status)).toEqual(Array(3).fill('failed'));
});

test('one success in between starts the five days anew', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger((number) => ({ status: number === 2 ? 200 : 503 }));
  const endpoint = await createEndpoint(world, receiver.url);
  for (const input of ['First', 'Second', 'Third']) {
    await world.startTurn({ input });
    await world.workUntilIdle();
    await world.advance(100 * HOUR);
  }

  await world.startTurn({ input: 'Fourth' });
  await world.workUntilIdle();

  expect(await findEndpoint(world, endpoint)).toMatchObject({ status: 'enabled' });
});

test('a disabled endpoint takes no redelivery; enabled, it does, and hears of what happens from then on', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger((number) => ({ status: number === 1 ? 410 : 200 }));
  const { id } = await createEndpoint(world, receiver.url);
  await world.startTurn({ input: 'First' });
  await world.workUntilIdle();
  await world.startTurn({ input: 'Unheard' });
  await world.workUntilIdle();
  const [failed] = await deliveriesTo(world, id);
  const redeliver = () => world.call('POST', `/v1/deliveries/${failed!.id}/redeliver`);

  const refused = await redeliver();
  await world.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status: 'enabled' } });
  const accepted = await redeliver();
  await world.startTurn({ input: 'Heard' });
  await world.workUntilIdle();

  expect(describeRefusal(refused)).toBe('409 webhook_endpoint_disabled: null');
  expect(accepted.status).toBe(202);
  expect((await deliveriesTo(world, id)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(receiver.caught).toHaveLength(3);
});

test.each([
  ['disabled', (world: World, path: string) => world.call('PATCH', path, { body: { status: 'disabled' } })],
  ['deleted', (world: World, path: string) => world.call('DELETE', path)],
])('what is pending stops when its endpoint is %s, and says why', async (_, act) => {
  await using world = await createWorld();
  await using receiver = await openStranger(() => ({ status: 500 }));
  const { id } = await createEndpoint(world, receiver.url);
  const turn = await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();

  await act(world, `/v1/webhook_endpoints/${id}`);
  await letTimePass(world);

  const { data } = (await world.call<{ data: Delivery[] }>('GET', `/v1/turns/${turn.id}/deliveries`)).body;
  const again = await world.call('POST', `/v1/deliveries/${data[0]!.id}/redeliver`);
  expect(receiver.caught).toHaveLength(1);
  expect(data).toMatchObject([
    { status: 'failed', attempts: 1, next_attempt_at: null, last_error: expect.stringMatching(/disabled or deleted/) },
  ]);
  expect(describeRefusal(again)).toBe('409 webhook_endpoint_disabled: null');
});

test('a delivery under way when its endpoint is disabled still tells how it ended', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger(() => null);
  const { id } = await createEndpoint(world, receiver.url);
  await world.startTurn({ input: 'Hi' });

  const working = world.workUntilIdle();
  const arrived = await receiver.arrival(1);
  await world.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status: 'disabled' } });
  arrived.answer({ status: 200 });
  await working;

  expect(await deliveriesTo(world, id)).toMatchObject([{ status: 'delivered', last_status_code: 200 }]);
});

test('a delivery owed while its endpoint is being disabled is stopped instead of made', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const { id } = await createEndpoint(world, receiver.url);
  await world.startTurn({ input: 'Hi' });
  while (await world.workOnce(async (job) => (job.name === 'deliver-webhook' ? undefined : world.handle(job))));

  await world.db.updateTable('webhook_endpoints').set({ status: 'disabled', disabled_reason: 'Raced.' }).execute();
  await letTimePass(world);

  expect(receiver.caught).toHaveLength(0);
  expect(await deliveriesTo(world, id)).toMatchObject([{ status: 'failed', attempts: 0 }]);
});
