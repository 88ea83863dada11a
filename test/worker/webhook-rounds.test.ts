import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld } from '#test/world/create-world.ts';
import { letTimePass } from '#test/world/let-time-pass.ts';
import { scripted } from '#test/world/scripted.ts';
import { openStranger } from '#test/world/stranger.ts';
import { createEndpoint, verified } from '#test/world/webhook-endpoint.ts';

type Round = TurnResource['rounds'][number];
type Told = { id: string; type: string; data: { id: string; round?: Round; turn?: TurnResource } };

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const oneCall = scripted({ rounds: [{ say: 'Looking.', tools: [look] }], answer: 'Sunny.' });
const tools = ['weather_lookup'];

test('who asks for it hears of each round, the last one too, before the end', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const webhook = { url: receiver.url, events: ['round.completed', 'turn.completed'] };

  const { id } = await world.startTurn({ input: oneCall, tools, webhook });
  await world.workUntilIdle();

  const told = receiver.caught.map(({ body }) => JSON.parse(body) as Told);
  const { rounds } = await world.findTurn(id);
  const pending = { status: 'pending', content: null, error: null, duration_ms: null, attempts: 0 };
  const asItWas = { ...rounds[0], results: rounds[0]?.results.map((result) => ({ ...result, ...pending })) };
  expect(told.map(({ type, data }) => [type, data.round?.number])).toEqual([
    ['round.completed', 1],
    ['round.completed', 2],
    ['turn.completed', undefined],
  ]);
  expect(told[0]?.data).toEqual({ id, round: asItWas });
  expect(told[1]?.data).toEqual({ id, round: rounds[1] });
  const events = await world.listEvents(id);
  expect(told.map((event) => event.id)).toEqual(
    events.filter(({ type }) => type === 'round.completed' || type === 'turn.completed').map((event) => event.id),
  );
});

test('nobody hears of rounds without having asked for it', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  await createEndpoint(world, receiver.url);

  await world.startTurn({ input: oneCall, tools, webhook: { url: receiver.url } });
  await world.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual(['turn.completed', 'turn.completed']);
});

test('an endpoint hears of rounds too, with the turn where it wants it', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const { secrets } = await createEndpoint(world, receiver.url, { events: ['round.completed'], include: ['turn'] });

  const { id } = await world.startTurn({ input: oneCall, tools });
  await world.workUntilIdle();

  const told = receiver.caught.map((caught) => verified(caught, secrets[0]!) as unknown as Told);
  expect(told.map(({ data }) => [data.id, data.round?.number, data.turn?.id])).toEqual([
    [id, 1, id],
    [id, 2, id],
  ]);
});

test('a round that parks its turn is told together with what the turn waits for, in that order', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const ask = { type: 'function', name: 'ask_device', description: 'Asks the device', parameters: { type: 'object' } };
  const input = scripted({ rounds: [{ tools: [{ name: 'ask_device', arguments: {} }] }], answer: 'Done.' });
  const webhook = { url: receiver.url, events: ['turn.requires_action', 'round.completed'] };

  await world.startTurn({ input, tools: [ask], webhook });
  await world.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual(['round.completed', 'turn.requires_action']);
});

test('a round that is told again is told as the first time, whatever its calls have answered since', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger((number) => ({ status: number === 1 ? 500 : 200 }));
  const webhook = { url: receiver.url, events: ['round.completed'] };

  await world.startTurn({ input: oneCall, tools, webhook });
  await world.workUntilIdle();
  await letTimePass(world);

  const first = receiver.caught.filter(({ body }) => (JSON.parse(body) as Told).data.round?.number === 1);
  expect(first).toHaveLength(2);
  expect(first[1]?.body).toBe(first[0]?.body);
});

test('the rounds of a turn that fails and is retried are told once each', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const input = scripted({ rounds: [{ tools: [look] }], answer: 'Back.', final: { fault } });
  const events = ['round.completed', 'turn.failed', 'turn.completed'];
  const { id } = await world.startTurn({ input, tools, webhook: { url: receiver.url, events } });
  await world.workUntilIdle();

  await world.call('POST', `/v1/turns/${id}/retry`);
  await world.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual([
    'round.completed',
    'turn.failed',
    'round.completed',
    'turn.completed',
  ]);
});
