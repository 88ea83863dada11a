import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint, type Delivery, deliveriesTo, verified } from '#test/harness/webhook-endpoint.ts';

const HOUR = 3_600_000;
const env = { PAWL_API_KEYS: 'alpha:a,beta:b' };

test('an endpoint gets all events of its project only, signed with its own secret', async () => {
  await using harness = await createHarness({ env });
  await using receiver = await openExternalServer();
  const [alpha, beta] = [apiClient(harness.url, 'a'), apiClient(harness.url, 'b')];
  const { secrets } = await createEndpoint(alpha, receiver.url);
  const { body: projectSecret } = await alpha.call<{ secrets: string[] }>('GET', '/v1/webhook_secret');

  const turns = [await alpha.startTurn({ input: 'One' }), await alpha.startTurn({ input: 'Two' })];
  await beta.startTurn({ input: 'Three' });
  await harness.workUntilIdle();

  const received = receiver.caught.map((caught) => verified(caught, secrets[0]!));
  expect(received.map(({ type, data }) => [type, data])).toEqual(turns.map(({ id }) => ['turn.completed', { id }]));
  expect(() => verified(receiver.caught[0]!, projectSecret.secrets[0]!)).toThrow('No matching signature');
});

test('a turn delivers to its webhook and to each endpoint, with the same event id', async ({ harness }) => {
  await using receivers = await openThree();
  await createEndpoint(harness, receivers.urls[1]!, { include: ['turn'] });
  await createEndpoint(harness, receivers.urls[2]!, { events: ['turn.failed', 'turn.completed'] });

  const { id } = await harness.runTurn({ input: 'Hi', webhook: { url: receivers.urls[0] } });

  const received = receivers.caught().map(([first]) => JSON.parse(first!.body));
  const { data } = (await harness.call<{ data: Delivery[] }>('GET', `/v1/turns/${id}/deliveries`)).body;
  expect(new Set(received.map((event) => event.id)).size).toBe(1);
  expect(received.map((event) => event.data)).toEqual([{ id }, { id, turn: await harness.findTurn(id) }, { id }]);
  expect(data.map(({ url, status }) => [url, status])).toEqual(receivers.urls.map((url) => [url, 'delivered']));
});

test('an endpoint gets only the events that it named, and no earlier events', async ({ harness }) => {
  await using receiver = await openExternalServer();
  await harness.runTurn({ input: 'Before' });
  await createEndpoint(harness, receiver.url, { events: ['turn.cancelled'] });

  await harness.runTurn({ input: 'After' });
  const { id } = await harness.startTurn({ input: 'Cancelled' });
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await harness.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'turn.cancelled', data: { id } }]);
});

test('an endpoint gets requires_action after the rest of the batch has run', async ({ harness, receiver }) => {
  const { secrets } = await createEndpoint(harness, receiver.url);
  const ask = { type: 'function', name: 'ask_device', description: 'Asks the device', parameters: { type: 'object' } };
  const calls = [
    { name: 'weather_lookup', arguments: { city: 'Tokyo' } },
    { name: 'ask_device', arguments: {} },
  ];
  const input = scripted({ rounds: [{ tools: calls }], answer: 'Done.' });

  const { id } = await harness.runTurn({ input, tools: ['weather_lookup', ask] });
  const { required_action } = await harness.findTurn(id);
  const answer = { tool_call_id: required_action!.tool_outputs[0]!.id, output: 'here' };
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: [answer] } });
  await harness.workUntilIdle();

  expect(receiver.caught.map((caught) => verified(caught, secrets[0]!))).toMatchObject([
    { type: 'turn.requires_action', data: { id } },
    { type: 'turn.completed', data: { id } },
  ]);
});

test('old and new secret sign during a rotation, and after a day only the new secret', async ({
  harness,
  receiver,
}) => {
  const { id, secrets: before } = await createEndpoint(harness, receiver.url);
  const { body: rotated } = await harness.call('POST', `/v1/webhook_endpoints/${id}/rotate_secret`);
  const [newSecret, oldSecret] = rotated.secrets as [string, string];

  await harness.runTurn({ input: 'During' });
  await harness.advance(25 * HOUR);
  await harness.runTurn({ input: 'After' });

  const [during, after] = receiver.caught;
  expect([oldSecret]).toEqual(before);
  expect(during?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  expect(verified(during!, newSecret)).toEqual(verified(during!, oldSecret));
  verified(after!, newSecret);
  expect(() => new Webhook(oldSecret).verify(after!.body, after!.headers as Record<string, string>)).toThrow();
  expect((await harness.call('GET', `/v1/webhook_endpoints/${id}/secret`)).body).toEqual({ secrets: [newSecret] });
});

test('a new URL of an endpoint also applies to pending deliveries', async ({ harness }) => {
  await using wrong = await openExternalServer(() => ({ status: 500 }));
  await using right = await openExternalServer();
  const { id, secrets } = await createEndpoint(harness, wrong.url);
  await harness.runTurn({ input: 'Hi' });

  await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { url: right.url } });
  await letTimePass(harness);

  expect([wrong.caught.length, right.caught.length]).toEqual([1, 1]);
  expect(verified(right.caught[0]!, secrets[0]!).id).toBe(JSON.parse(wrong.caught[0]!.body).id);
  expect(await deliveriesTo(harness, id)).toMatchObject([{ url: right.url, status: 'delivered', attempts: 2 }]);
});

test('the deliveries to an endpoint are listed newest first, by status if requested', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 2 ? 500 : 200 }));
  const { id } = await createEndpoint(harness, receiver.url);
  for (const input of ['1', '2', '3']) {
    await harness.runTurn({ input });
  }

  const all = await deliveriesTo(harness, id);
  const rest = await deliveriesTo(harness, id, `?limit=1&cursor=${all[0]!.id}`);

  expect(all.map(({ status }) => status)).toEqual(['delivered', 'pending', 'delivered']);
  expect(rest).toEqual([all[1]]);
  expect(await deliveriesTo(harness, id, '?status=pending')).toEqual([all[1]]);
});

async function openThree() {
  const receivers = [await openExternalServer(), await openExternalServer(), await openExternalServer()];
  return {
    urls: receivers.map(({ url }) => url),
    caught: () => receivers.map(({ caught }) => caught),
    [Symbol.asyncDispose]: async () => {
      for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
    },
  };
}
