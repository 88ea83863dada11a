import OpenAI from 'openai';
import { expect } from 'vitest';
import { createHarness, type Harness, letTimePass, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer, type ReceivedRequest } from '#test/harness/servers/external-server.ts';
import { createEndpoint, type Delivery, deliveriesTo } from '#test/harness/webhook-endpoint.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

type Event = { id: string; type: string; data: { id: string } };

const ofResponses = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'];

/** Starts responses with the webhook `url`. `unwrap` reads a delivery as a receiver with OpenAI's client does. */
function receiving(harness: Harness, url: string, events: string[] = ofResponses) {
  const client = openaiClient(harness);
  const create = (input: string, more: object = {}) =>
    client.responses.create({
      model: 'test',
      background: true,
      input,
      ...more,
      ...{ pawl: { webhook: { url, events } } },
    });
  const secretOf = async () =>
    (await harness.call<{ secrets: string[] }>('GET', '/v1/webhook_secret')).body.secrets[0] ?? '';
  return {
    client,
    create,
    unwrap: async ({ body, headers }: ReceivedRequest, secret?: string) =>
      client.webhooks.unwrap(body, headers as Record<string, string>, secret ?? (await secretOf())),
  };
}

const eventsIn = (caught: ReceivedRequest[]) => caught.map(({ body }) => JSON.parse(body) as Event);
const turnIdOf = (id: string) => id.replace('resp_', 'turn_');
const refusal = scripted({ answer: 'I will not.', final: { finish_reason: 'refusal' } });

describeQueue(({ redis }) => {
  test('a webhook reports the end of a background response in OpenAI’s shape', async () => {
    await using harness = await createHarness({ redis });
    await using receiver = await openExternalServer();
    const { client, create, unwrap } = receiving(harness, receiver.url);

    const { id } = await create('Say hello.');
    await harness.workUntilIdle();

    const event = await unwrap(receiver.caught[0]!);
    const completedAt = (await client.responses.retrieve(id)).completed_at;
    expect(receiver.caught).toHaveLength(1);
    expect(event).toEqual({
      ...{ id: expect.stringMatching(/^evt_[0-7][0-9a-z]{25}$/), object: 'event', created_at: completedAt },
      ...{ type: 'response.completed', data: { id } },
    });
    expect(receiver.caught[0]?.headers['webhook-id']).toBe(event.id);
  });
});

test('a webhook with a changed body or another secret fails verification', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const { create, unwrap } = receiving(harness, receiver.url);
  await create('Say hello.');
  await harness.workUntilIdle();
  const [caught] = receiver.caught as [ReceivedRequest];

  const changed = { ...caught, body: caught.body.replace('completed', 'cancelled') };
  const otherSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

  await expect(unwrap(changed)).rejects.toThrow(OpenAI.InvalidWebhookSignatureError);
  await expect(unwrap(caught, otherSecret)).rejects.toThrow(OpenAI.InvalidWebhookSignatureError);
});

test.each([
  ['completed', scripted({ answer: 'Fine.' })],
  ['incomplete', scripted({ final: { finish_reason: 'length' } })],
  ['failed', scripted({ final: { fault: { kind: 'status', status: 401 } } })],
  ['completed', refusal],
])('a webhook reports the status %s of a response', async (status, input) => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();
  const { client, create } = receiving(harness, receiver.url);

  const { id } = await create(input);
  await harness.workUntilIdle();

  expect((await client.responses.retrieve(id)).status).toBe(status);
  expect(eventsIn(receiver.caught)).toMatchObject([{ type: `response.${status}`, data: { id } }]);
});

test.each([
  ['before it began', async () => {}],
  ['while it is tried again', (harness: Harness) => harness.workOnce()],
])('a webhook reports the cancel of a response %s', async (_, until) => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();
  const { client, create } = receiving(harness, receiver.url);
  const { id } = await create(scripted({ final: { fault: { kind: 'status', status: 503 } } }));

  await until(harness);
  await client.responses.cancel(id);
  await harness.workUntilIdle();

  expect(eventsIn(receiver.caught)).toMatchObject([{ type: 'response.cancelled', data: { id } }]);
});

test('webhooks of a retried response report both ends with different event ids', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const { create } = receiving(harness, receiver.url);
  const { id } = await create(
    scripted({ answer: 'Back.', final: { fault: { kind: 'status', status: 401, times: 1 } } }),
  );
  await harness.workUntilIdle();

  await harness.call('POST', `/v1/turns/${turnIdOf(id)}/retry`);
  await harness.workUntilIdle();

  const events = eventsIn(receiver.caught);
  expect(events.map(({ type, data }) => [type, data.id])).toEqual([
    ['response.failed', id],
    ['response.completed', id],
  ]);
  expect(events[0]?.id).not.toBe(events[1]?.id);
});

test('foreground responses and native turns send no response events', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const { create } = receiving(harness, receiver.url);
  await createEndpoint(harness, receiver.url, { events: ofResponses });

  await using _worker = await startBackgroundWorker(harness);
  const answered = await create('Say hello.', { background: false });
  const { id } = await harness.startTurn({ input: 'Hi' });
  await harness.call('GET', `/v1/turns/${id}?wait=10`);

  expect(answered.status).toBe('completed');
  expect(await harness.db.selectFrom('deliveries').selectAll().execute()).toEqual([]);
});

test('a receiver of turn and response events gets each once, with its own id', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number <= 2 ? 500 : 204 }));
  const { create, unwrap } = receiving(harness, receiver.url, ['turn.completed', 'response.completed']);

  const { id } = await create('Say hello.');
  await harness.workUntilIdle();
  await letTimePass(harness);

  const events = eventsIn(receiver.caught);
  expect(events.map(({ type, data }) => [type, data.id]).toSorted()).toEqual([
    ...Array(2).fill(['response.completed', id]),
    ...Array(2).fill(['turn.completed', turnIdOf(id)]),
  ]);
  expect(new Set(events.map((event) => event.id)).size).toBe(2);
  for (const caught of receiver.caught) await unwrap(caught);
});

test('a slow receiver of both event kinds gets the second right after the first', async ({ harness }) => {
  await using receiver = await openExternalServer(() => null);
  await using _worker = await startBackgroundWorker(harness);
  const { create } = receiving(harness, receiver.url, ['turn.completed', 'response.completed']);

  await create('Say hello.');
  const first = await receiver.arrival(1);
  const before = receiver.caught.length;
  first.answer({ status: 200 });
  (await receiver.arrival(2)).answer({ status: 200 });

  expect(before).toBe(1);
  expect(new Set(eventsIn(receiver.caught).map(({ type }) => type))).toEqual(
    new Set(['turn.completed', 'response.completed']),
  );
});

test('a webhook without events reports events of the turn', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const { client } = receiving(harness, receiver.url);
  const body = { model: 'test', background: true, input: 'Hi', pawl: { webhook: { url: receiver.url } } };

  const { id } = await client.responses.create(body);
  await harness.workUntilIdle();

  expect(eventsIn(receiver.caught)).toMatchObject([{ type: 'turn.completed', data: { id: turnIdOf(id) } }]);
});

test('a response endpoint gets the events of its project with its own signature', async () => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();
  const { client, unwrap } = receiving(harness, receiver.url);
  const { id: endpointId, secrets } = await createEndpoint(harness, receiver.url, {
    ...{ events: ['response.completed', 'round.completed'], include: ['turn'] },
  });

  const { id } = await client.responses.create({ model: 'test', background: true, input: 'Hi' });
  await harness.workUntilIdle();

  const [round, ended] = receiver.caught as [ReceivedRequest, ReceivedRequest];
  expect(await unwrap(ended, secrets[0])).toMatchObject({ type: 'response.completed', data: { id } });
  expect(await unwrap(round, secrets[0])).toMatchObject({ type: 'round.completed', data: { id: turnIdOf(id) } });
  expect(eventsIn(receiver.caught)[1]?.data).toEqual({ id });
  expect((await deliveriesTo(harness, endpointId)).map(({ type }) => type)).toEqual([
    'response.completed',
    'round.completed',
  ]);
});

test('a delivery of a response keeps its type and event id if redelivered', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 410 : 200 }));
  const { create } = receiving(harness, receiver.url);
  const { id } = await create('Say hello.');
  await harness.workUntilIdle();
  const { data } = (await harness.call<{ data: Delivery[] }>('GET', `/v1/turns/${turnIdOf(id)}/deliveries`)).body;

  const again = await harness.call('POST', `/v1/deliveries/${data[0]?.id}/redeliver`);
  await harness.workUntilIdle();

  const shown = { type: 'response.completed', event_id: eventsIn(receiver.caught)[0]?.id };
  expect(data).toMatchObject([{ ...shown, status: 'failed' }]);
  expect(again).toMatchObject({ status: 202, body: { ...shown, status: 'pending' } });
  expect(receiver.caught.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(shown.event_id));
});

test('a native turn cannot request response events, and unknown events are refused', async ({ harness }) => {
  const { create } = receiving(harness, 'https://example.com/hook', ['response.started']);
  const webhook = { url: 'https://example.com/hook', events: ['response.completed'] };

  const native = await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi', webhook } });
  const response = await raised(create('Hi'));

  expect(native).toMatchObject({ status: 400, body: { error: { param: 'webhook.events[0]' } } });
  expect(response).toMatchObject({ status: 400, param: 'pawl.webhook.events[0]' });
});
