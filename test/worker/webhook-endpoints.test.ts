import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { apiClient } from '#test/world/api-client.ts';
import { createWorld } from '#test/world/create-world.ts';
import { letTimePass } from '#test/world/let-time-pass.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';
import { createEndpoint, type Delivery, deliveriesTo, verified } from '#test/world/webhook-endpoint.ts';

const HOUR = 3_600_000;
const env = { PAWL_API_KEYS: 'alpha:a,beta:b' };

test('an endpoint hears of every turn of its project and of no other, signed with its own secret', async () => {
  await using world = await createWorld({ env });
  await using receiver = await openStranger();
  const [alpha, beta] = [apiClient(world.url, 'a'), apiClient(world.url, 'b')];
  const { secrets } = await createEndpoint(alpha, receiver.url);
  const { body: projectSecret } = await alpha.call<{ secrets: string[] }>('GET', '/v1/webhook_secret');

  const turns = [await alpha.startTurn({ input: 'One' }), await alpha.startTurn({ input: 'Two' })];
  await beta.startTurn({ input: 'Three' });
  await world.workUntilIdle();

  const told = receiver.caught.map((caught) => verified(caught, secrets[0]!));
  expect(told.map(({ type, data }) => [type, data])).toEqual(turns.map(({ id }) => ['turn.completed', { id }]));
  expect(() => verified(receiver.caught[0]!, projectSecret.secrets[0]!)).toThrow('No matching signature');
});

test('a turn tells its own webhook and each endpoint, under one event id', async () => {
  await using world = await createWorld();
  await using receivers = await openThree();
  await createEndpoint(world, receivers.urls[1]!, { include: ['turn'] });
  await createEndpoint(world, receivers.urls[2]!, { events: ['turn.failed', 'turn.completed'] });

  const { id } = await world.startTurn({ input: 'Hi', webhook: { url: receivers.urls[0] } });
  await world.workUntilIdle();

  const told = receivers.caught().map(([first]) => JSON.parse(first!.body));
  const { data } = (await world.call<{ data: Delivery[] }>('GET', `/v1/turns/${id}/deliveries`)).body;
  expect(new Set(told.map((event) => event.id)).size).toBe(1);
  expect(told.map((event) => event.data)).toEqual([{ id }, { id, turn: await world.findTurn(id) }, { id }]);
  expect(data.map(({ url, status }) => [url, status])).toEqual(receivers.urls.map((url) => [url, 'delivered']));
});

test('an endpoint hears only of what it named, and of nothing before it was there', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  await world.startTurn({ input: 'Before' });
  await world.workUntilIdle();
  await createEndpoint(world, receiver.url, { events: ['turn.cancelled'] });

  await world.startTurn({ input: 'After' });
  await world.workUntilIdle();
  const { id } = await world.startTurn({ input: 'Cancelled' });
  await world.call('POST', `/v1/turns/${id}/cancel`);
  await world.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'turn.cancelled', data: { id } }]);
});

test('an endpoint hears that a turn waits for somebody, once the rest of its batch has run', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const { secrets } = await createEndpoint(world, receiver.url);
  const ask = { type: 'function', name: 'ask_device', description: 'Asks the device', parameters: { type: 'object' } };
  const calls = [
    { name: 'weather_lookup', arguments: { city: 'Tokyo' } },
    { name: 'ask_device', arguments: {} },
  ];
  const input = scripted({ rounds: [{ tools: calls }], answer: 'Done.' });

  const { id } = await world.startTurn({ input, tools: ['weather_lookup', ask] });
  await world.workUntilIdle();
  const { required_action } = await world.findTurn(id);
  const answer = { tool_call_id: required_action!.tool_outputs[0]!.id, output: 'here' };
  await world.call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: [answer] } });
  await world.workUntilIdle();

  expect(receiver.caught.map((caught) => verified(caught, secrets[0]!))).toMatchObject([
    { type: 'turn.requires_action', data: { id } },
    { type: 'turn.completed', data: { id } },
  ]);
});

test('while a secret is rotated both sign, and after a day only the new one does', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const { id, secrets: before } = await createEndpoint(world, receiver.url);
  const { body: rotated } = await world.call('POST', `/v1/webhook_endpoints/${id}/rotate_secret`);
  const [newSecret, oldSecret] = rotated.secrets as [string, string];

  await world.startTurn({ input: 'During' });
  await world.workUntilIdle();
  await world.advance(25 * HOUR);
  await world.startTurn({ input: 'After' });
  await world.workUntilIdle();

  const [during, after] = receiver.caught;
  expect([oldSecret]).toEqual(before);
  expect(during?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  expect(verified(during!, newSecret)).toEqual(verified(during!, oldSecret));
  verified(after!, newSecret);
  expect(() => new Webhook(oldSecret).verify(after!.body, after!.headers as Record<string, string>)).toThrow();
  expect((await world.call('GET', `/v1/webhook_endpoints/${id}/secret`)).body).toEqual({ secrets: [newSecret] });
});

test('another URL is that of pending deliveries too', async () => {
  await using world = await createWorld();
  await using wrong = await openStranger(() => ({ status: 500 }));
  await using right = await openStranger();
  const { id, secrets } = await createEndpoint(world, wrong.url);
  await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();

  await world.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { url: right.url } });
  await letTimePass(world);

  expect([wrong.caught.length, right.caught.length]).toEqual([1, 1]);
  expect(verified(right.caught[0]!, secrets[0]!).id).toBe(JSON.parse(wrong.caught[0]!.body).id);
  expect(await deliveriesTo(world, id)).toMatchObject([{ url: right.url, status: 'delivered', attempts: 2 }]);
});

test('the deliveries to an endpoint are listed newest first, by status where asked', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger((number) => ({ status: number === 2 ? 500 : 200 }));
  const { id } = await createEndpoint(world, receiver.url);
  for (const input of ['1', '2', '3']) {
    await world.startTurn({ input });
    await world.workUntilIdle();
  }

  const all = await deliveriesTo(world, id);
  const rest = await deliveriesTo(world, id, `?limit=1&cursor=${all[0]!.id}`);

  expect(all.map(({ status }) => status)).toEqual(['delivered', 'pending', 'delivered']);
  expect(rest).toEqual([all[1]]);
  expect(await deliveriesTo(world, id, '?status=pending')).toEqual([all[1]]);
});

/** Three receivers at once. */
async function openThree() {
  const receivers = [await openStranger(), await openStranger(), await openStranger()];
  return {
    urls: receivers.map(({ url }) => url),
    caught: () => receivers.map(({ caught }) => caught),
    [Symbol.asyncDispose]: async () => {
      for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
    },
  };
}
