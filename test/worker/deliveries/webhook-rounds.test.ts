import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint, verified } from '#test/harness/webhook-endpoint.ts';

type Round = TurnResource['rounds'][number];
type ReceivedEvent = { id: string; type: string; data: { id: string; round?: Round; turn?: TurnResource } };

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const oneCall = scripted({ rounds: [{ say: 'Looking.', tools: [look] }], answer: 'Sunny.' });
const tools = ['weather_lookup'];

test('a webhook that requests rounds gets each round before the end, also the last', async ({ harness }) => {
  await using receiver = await openExternalServer();
  const webhook = { url: receiver.url, events: ['round.completed', 'turn.completed'] };

  const { id } = await harness.runTurn({ input: oneCall, tools, webhook });

  const received = receiver.caught.map(({ body }) => JSON.parse(body) as ReceivedEvent);
  const { rounds } = await harness.findTurn(id);
  const pending = { status: 'pending', content: null, error: null, duration_ms: null, attempts: 0 };
  const asItWas = { ...rounds[0], results: rounds[0]?.results.map((result) => ({ ...result, ...pending })) };
  expect(received.map(({ type, data }) => [type, data.round?.number])).toEqual([
    ['round.completed', 1],
    ['round.completed', 2],
    ['turn.completed', undefined],
  ]);
  expect(received[0]?.data).toEqual({ id, round: asItWas });
  expect(received[1]?.data).toEqual({ id, round: rounds[1] });
  const events = await harness.listEvents(id);
  expect(received.map((event) => event.id)).toEqual(
    events.filter(({ type }) => type === 'round.completed' || type === 'turn.completed').map((event) => event.id),
  );
});

test('no webhook gets rounds without a request', async ({ harness, receiver }) => {
  await createEndpoint(harness, receiver.url);

  await harness.runTurn({ input: oneCall, tools, webhook: { url: receiver.url } });

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual(['turn.completed', 'turn.completed']);
});

test('an endpoint gets rounds too, with the turn if it requests that', async ({ harness, receiver }) => {
  const { secrets } = await createEndpoint(harness, receiver.url, { events: ['round.completed'], include: ['turn'] });

  const { id } = await harness.runTurn({ input: oneCall, tools });

  const received = receiver.caught.map((caught) => verified(caught, secrets[0]!) as unknown as ReceivedEvent);
  expect(received.map(({ data }) => [data.id, data.round?.number, data.turn?.id])).toEqual([
    [id, 1, id],
    [id, 2, id],
  ]);
});

test('a round is delivered before the requires_action of its turn', async ({ harness, receiver }) => {
  const ask = { type: 'function', name: 'ask_device', description: 'Asks the device', parameters: { type: 'object' } };
  const input = scripted({ rounds: [{ tools: [{ name: 'ask_device', arguments: {} }] }], answer: 'Done.' });
  const webhook = { url: receiver.url, events: ['turn.requires_action', 'round.completed'] };

  await harness.runTurn({ input, tools: [ask], webhook });

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual(['round.completed', 'turn.requires_action']);
});

test('a redelivered round has the same content, without later results of its calls', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 500 : 200 }));
  const webhook = { url: receiver.url, events: ['round.completed'] };

  await harness.runTurn({ input: oneCall, tools, webhook });
  await letTimePass(harness);

  const first = receiver.caught.filter(({ body }) => (JSON.parse(body) as ReceivedEvent).data.round?.number === 1);
  expect(first).toHaveLength(2);
  expect(first[1]?.body).toBe(first[0]?.body);
});

test('each round of a turn that fails and is retried is delivered once', async ({ harness, receiver }) => {
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const input = scripted({ rounds: [{ tools: [look] }], answer: 'Back.', final: { fault } });
  const events = ['round.completed', 'turn.failed', 'turn.completed'];
  const { id } = await harness.runTurn({ input, tools, webhook: { url: receiver.url, events } });

  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();

  expect(receiver.caught.map(({ body }) => JSON.parse(body).type)).toEqual([
    'round.completed',
    'turn.failed',
    'round.completed',
    'turn.completed',
  ]);
});
