import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { document } from './document.ts';
import { problemsAt } from './strictly.ts';

type Made = { id: string };

const tools = ['weather_lookup'];
const call = (name: string, id: string) => ({ name, arguments: { city: 'Tokyo' }, id });
const oneCall = scripted({ rounds: [{ say: 'Let me look.', tools: [call('weather_lookup', 'call_look')] }] });
const failing = (status: number) => scripted({ answer: 'At last.', final: { fault: { kind: 'status', status } } });

test('every webhook matches the OpenAPI document', async ({ harness, receiver }) => {
  await using gone = await openExternalServer(() => ({ status: 410 }));
  const { call: ask } = harness;
  const events = Object.keys(document.webhooks).filter((type) => type !== 'webhook.test');
  const { body: endpoint } = await ask<Made>('POST', '/v1/webhook_endpoints', {
    body: { url: receiver.url, events, include: ['turn'] },
  });
  await ask('POST', '/v1/webhook_endpoints', { body: { url: gone.url } });

  const locate = { name: 'locate_user', description: 'Asks the device where the user is' };
  const input = scripted({ rounds: [{ tools: [call('locate_user', 'call_1')] }] });
  const create = (input: string) =>
    ask<Made>('POST', '/v1/responses', { body: { model: 'test', background: true, input } });
  await harness.startTurn({ input: oneCall, tools });
  await harness.startTurn({ input: oneCall, tools, limits: { max_rounds: 1 } });
  await harness.startTurn({ input: failing(401) });
  const { id } = await harness.startTurn({ input, tools: [locate] });
  for (const input of [oneCall, scripted({ final: { finish_reason: 'length' } }), failing(401)]) await create(input);
  await harness.workUntilIdle();
  await ask('POST', `/v1/turns/${id}/cancel`);
  await ask('POST', `/v1/responses/${(await create('Hi')).body.id}/cancel`);
  await harness.workUntilIdle();
  await ask('POST', `/v1/webhook_endpoints/${endpoint.id}/test`);

  const webhooks = receiver.caught.map(({ body }) => JSON.parse(body));
  expect(new Set(webhooks.map(({ type }) => type))).toEqual(new Set(Object.keys(document.webhooks)));
  for (const event of webhooks) {
    const place = ['webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    expect.soft(problemsAt(place, event), event.type).toEqual([]);
  }
  const named = document.webhooks['turn.failed']!.post.parameters!.map(({ name }) => name);
  for (const name of named) expect(receiver.caught[0]!.headers[name]).toEqual(expect.any(String));
});
