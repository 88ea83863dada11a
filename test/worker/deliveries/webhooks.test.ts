import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer, type ReceivedRequest } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';

type Delivery = { id: string; event_id: string; status: string; attempts: number };

async function deliveriesOf({ call }: Harness, turnId: string): Promise<Delivery[]> {
  const { status, body } = await call<{ data: Delivery[] }>('GET', `/v1/turns/${turnId}/deliveries`);
  expect([status, body]).toMatchObject([200, { object: 'list', has_more: false, next_cursor: null }]);
  return body.data;
}

/** Returns the event in a webhook, after a check of its signature as a receiver does it. */
async function openEnvelope({ call }: Harness, { headers, body }: ReceivedRequest): Promise<Record<string, unknown>> {
  const { secrets } = (await call<{ secrets: string[] }>('GET', '/v1/webhook_secret')).body;
  return new Webhook(secrets[0]!).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}

test('the end of a turn is delivered without the turn, and signed', async ({ harness, receiver }) => {
  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const [caught] = receiver.caught;
  const event = await openEnvelope(harness, caught!);
  const last = (await harness.listEvents(id)).at(-1);

  expect(receiver.caught).toHaveLength(1);
  expect(event).toEqual({
    ...{ id: last?.id, object: 'event', type: 'turn.completed', timestamp: last?.created_at, data: { id } },
  });
  expect(caught?.headers).toMatchObject({ 'webhook-id': last?.id, 'content-type': 'application/json' });
  expect(caught?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]+=*$/);
  expect(await deliveriesOf(harness, id)).toEqual([
    {
      ...{ id: expect.stringMatching(/^dlv_/), object: 'delivery', event_id: last?.id, type: 'turn.completed' },
      ...{ url: receiver.url, status: 'delivered', attempts: 1, last_status_code: 200, last_error: null },
      ...{ next_attempt_at: null, created_at: expect.any(String), delivered_at: expect.any(String) },
    },
  ]);
});

test('a webhook that includes the turn has the turn as the API returns it', async ({ harness, receiver }) => {
  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url, include: ['turn'] } });

  expect((await openEnvelope(harness, receiver.caught[0]!)).data).toEqual({ id, turn: await harness.findTurn(id) });
});

test.each([
  ['turn.completed', scripted({ answer: 'Fine.' })],
  ['turn.incomplete', scripted({ final: { finish_reason: 'length' } })],
  ['turn.failed', scripted({ final: { fault: { kind: 'status', status: 401 } } })],
])('%s is delivered without a request', async (type, input) => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();

  const { id } = await harness.startTurn({ input, webhook: { url: receiver.url } });
  await workUntilEnded(harness, id);
  await harness.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual([type]);
});

test('a cancelled turn is delivered too', async ({ harness, receiver }) => {
  const { id } = await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await harness.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual(['turn.cancelled']);
});

test('only the named events are delivered', async ({ harness, receiver }) => {
  const webhook = { url: receiver.url, events: ['turn.failed', 'turn.cancelled'] };
  const { id } = await harness.runTurn({ input: 'Hi', webhook });

  expect(receiver.caught).toHaveLength(0);
  expect(await deliveriesOf(harness, id)).toEqual([]);
});

test('a failed delivery is repeated with the same webhook-id and a new signature', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number < 3 ? 500 : 204 }));

  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const [pending] = await deliveriesOf(harness, id);
  await letTimePass(harness);
  await letTimePass(harness);

  expect(pending).toMatchObject({
    ...{ status: 'pending', attempts: 1, last_status_code: 500, delivered_at: null },
    ...{ last_error: expect.stringContaining('500'), next_attempt_at: expect.any(String) },
  });
  expect(receiver.caught).toHaveLength(3);
  expect(new Set(receiver.caught.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.caught.map(({ body }) => body)).size).toBe(1);
  for (const caught of receiver.caught) await openEnvelope(harness, caught);
  expect(await deliveriesOf(harness, id)).toMatchObject([{ status: 'delivered', attempts: 3, last_status_code: 204 }]);
});

test('the next attempt is announced for about 5 s later, then for about 30 s later', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 500 }));
  const { id } = await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const delayMs = async (work: Promise<void>) => {
    await work;
    const [delivery] = await deliveriesOf(harness, id);
    const { log } = (await harness.call<{ log: { at: string }[] }>('GET', `/v1/deliveries/${delivery?.id}`)).body;
    const nextAt = (delivery as Delivery & { next_attempt_at: string }).next_attempt_at;
    return Date.parse(nextAt) - Date.parse(log.at(-1)?.at ?? '');
  };

  const first = await delayMs(harness.workUntilIdle());
  const second = await delayMs(letTimePass(harness));

  expect(first / 1000).toBeGreaterThan(3);
  expect(first / 1000).toBeLessThan(5.6);
  expect(second / 1000).toBeGreaterThan(25);
  expect(second / 1000).toBeLessThan(33.1);
});

test('a redirect is not followed and counts as a failed attempt', async ({ harness }) => {
  await using elsewhere = await openExternalServer();
  await using receiver = await openExternalServer(() => ({ status: 307, headers: { location: elsewhere.url } }));

  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });

  expect(await deliveriesOf(harness, id)).toMatchObject([{ status: 'pending', attempts: 1, last_status_code: 307 }]);
  expect(elsewhere.caught).toHaveLength(0);
});

test('410 permanently stops the deliveries of an event', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 410 }));

  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });
  await letTimePass(harness);

  expect(receiver.caught).toHaveLength(1);
  expect(await deliveriesOf(harness, id)).toMatchObject([{ status: 'failed', attempts: 1, next_attempt_at: null }]);
});

test('an event can be redelivered with the same webhook-id', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 410 : 200 }));
  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const [failed] = await deliveriesOf(harness, id);

  const again = await harness.call('POST', `/v1/deliveries/${failed!.id}/redeliver`);
  await harness.workUntilIdle();

  expect(again).toMatchObject({ status: 202, body: { id: failed!.id, object: 'delivery', status: 'pending' } });
  expect(receiver.caught.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(failed!.event_id));
  expect(await deliveriesOf(harness, id)).toMatchObject([{ id: failed!.id, status: 'delivered' }]);
});

test('a turn that fails, is retried and completes delivers both ends', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 500 : 200 }));
  const input = scripted({ answer: 'Back.', final: { fault: { kind: 'status', status: 401, times: 1 } } });
  const { id } = await harness.runTurn({ input, webhook: { url: receiver.url, include: ['turn'] } });

  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();
  await letTimePass(harness);

  const received = receiver.caught.map(
    ({ body }) => JSON.parse(body) as { type: string; data: { turn: TurnResource } },
  );
  expect(received.map(({ type, data }) => [type, data.turn.status])).toEqual([
    ['turn.failed', 'failed'],
    ['turn.completed', 'completed'],
    ['turn.failed', 'failed'],
  ]);
});

test('a webhook is signed with each secret during a rotation, and all are shown', async ({ receiver }) => {
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
  await using harness = await createHarness({ env: { PAWL_WEBHOOK_SECRET: secrets.join(',') } });

  await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });

  const { headers, body } = receiver.caught[0]!;
  expect((await harness.call('GET', '/v1/webhook_secret')).body).toEqual({ secrets });
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
});
