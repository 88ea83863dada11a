import { expect } from 'vitest';
import { describeRefusal } from '#test/api/refusals.ts';
import { createHarness, type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint, type Delivery, deliveriesTo, findEndpoint, verified } from '#test/harness/webhook-endpoint.ts';

const HOUR = 3_600_000;

test('410 disables an endpoint at once, stops its deliveries and notifies the others', async ({ harness }) => {
  await using gone = await openExternalServer((number) => ({ status: number === 1 ? 500 : 410 }));
  await using watcher = await openExternalServer();
  const endpoint = await createEndpoint(harness, gone.url);
  const { secrets } = await createEndpoint(harness, watcher.url, { events: ['webhook_endpoint.disabled'] });
  await harness.runTurn({ input: 'First' });

  await harness.runTurn({ input: 'Second' });
  await harness.startTurn({ input: 'Third' });
  await letTimePass(harness);

  const reason = 'The receiver answered 410: it accepts no more events.';
  expect(await findEndpoint(harness, endpoint)).toMatchObject({ status: 'disabled', disabled_reason: reason });
  expect(gone.caught).toHaveLength(2);
  expect(await deliveriesTo(harness, endpoint.id)).toMatchObject([
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

test('an event about an endpoint can be read and redelivered like any delivery', async ({ harness }) => {
  await using gone = await openExternalServer(() => ({ status: 410 }));
  await using watcher = await openExternalServer();
  await createEndpoint(harness, gone.url);
  const { id } = await createEndpoint(harness, watcher.url, { events: ['webhook_endpoint.disabled'] });
  await harness.runTurn({ input: 'Hi' });

  const [delivery] = await deliveriesTo(harness, id);
  const read = await harness.call('GET', `/v1/deliveries/${delivery!.id}`);
  await harness.call('POST', `/v1/deliveries/${delivery!.id}/redeliver`);
  await harness.workUntilIdle();

  expect(read.body).toMatchObject({ type: 'webhook_endpoint.disabled', webhook_endpoint_id: id, status: 'delivered' });
  expect(watcher.caught.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(delivery!.event_id));
});

test('an endpoint is disabled after five days without a success, and not before', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 503 }));
  const endpoint = await createEndpoint(harness, receiver.url);
  const failOnce = async (input: string) => {
    await harness.runTurn({ input });
    return findEndpoint(harness, endpoint);
  };

  const first = await failOnce('First');
  await harness.advance(119 * HOUR);
  const second = await failOnce('Second');
  await harness.advance(2 * HOUR);
  const third = await failOnce('Third');

  expect(first).toMatchObject({ status: 'enabled', failing_since: expect.stringMatching(/Z$/) });
  expect(second).toMatchObject({ status: 'enabled' });
  expect(third).toMatchObject({
    status: 'disabled',
    disabled_reason: 'No delivery succeeded for 5 days. The last error: The receiver answered 503.',
  });
  expect((await deliveriesTo(harness, endpoint.id)).map(({ status }) => status)).toEqual(Array(3).fill('failed'));
});

test('a success restarts the five days of an endpoint', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 3 ? 200 : 503 }));
  const endpoint = await createEndpoint(harness, receiver.url);
  for (const input of ['First', 'Second', 'Third']) {
    await harness.runTurn({ input });
    await harness.advance(100 * HOUR);
  }

  await harness.runTurn({ input: 'Fourth' });

  expect(await findEndpoint(harness, endpoint)).toMatchObject({ status: 'enabled' });
});

test('a disabled endpoint takes no redelivery until it is enabled again', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 410 : 200 }));
  const { id } = await createEndpoint(harness, receiver.url);
  await harness.runTurn({ input: 'First' });
  await harness.runTurn({ input: 'Unheard' });
  const [failed] = await deliveriesTo(harness, id);
  const redeliver = () => harness.call('POST', `/v1/deliveries/${failed!.id}/redeliver`);

  const refused = await redeliver();
  await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status: 'enabled' } });
  const accepted = await redeliver();
  await harness.runTurn({ input: 'Heard' });

  expect(describeRefusal(refused)).toBe('409 webhook_endpoint_disabled: null');
  expect(accepted.status).toBe(202);
  expect((await deliveriesTo(harness, id)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(receiver.caught).toHaveLength(3);
});

test.each([
  ['disabled', (harness: Harness, path: string) => harness.call('PATCH', path, { body: { status: 'disabled' } })],
  ['deleted', (harness: Harness, path: string) => harness.call('DELETE', path)],
])('pending deliveries stop with a reason when their endpoint is %s', async (_, act) => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer(() => ({ status: 500 }));
  const { id } = await createEndpoint(harness, receiver.url);
  const turn = await harness.runTurn({ input: 'Hi' });

  await act(harness, `/v1/webhook_endpoints/${id}`);
  await letTimePass(harness);

  const { data } = (await harness.call<{ data: Delivery[] }>('GET', `/v1/turns/${turn.id}/deliveries`)).body;
  const again = await harness.call('POST', `/v1/deliveries/${data[0]!.id}/redeliver`);
  expect(receiver.caught).toHaveLength(1);
  expect(data).toMatchObject([
    { status: 'failed', attempts: 1, next_attempt_at: null, last_error: expect.stringMatching(/disabled or deleted/) },
  ]);
  expect(describeRefusal(again)).toBe('409 webhook_endpoint_disabled: null');
});

test('a running delivery records its result although its endpoint was disabled', async ({ harness }) => {
  await using receiver = await openExternalServer(() => null);
  const { id } = await createEndpoint(harness, receiver.url);
  await harness.startTurn({ input: 'Hi' });

  const working = harness.workUntilIdle();
  const arrived = await receiver.arrival(1);
  await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status: 'disabled' } });
  arrived.answer({ status: 200 });
  await working;

  expect(await deliveriesTo(harness, id)).toMatchObject([{ status: 'delivered', last_status_code: 200 }]);
});

test('a delivery that is due while its endpoint is disabled is stopped', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const { id } = await createEndpoint(harness, receiver.url);
  await harness.startTurn({ input: 'Hi' });
  while (await harness.workOnce());

  await harness.db.updateTable('webhook_endpoints').set({ status: 'disabled', disabled_reason: 'Raced.' }).execute();
  await letTimePass(harness);

  expect(receiver.caught).toHaveLength(0);
  expect(await deliveriesTo(harness, id)).toMatchObject([{ status: 'failed', attempts: 0 }]);
});
