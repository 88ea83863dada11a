import { expect, test } from 'vitest';
import { RATE_LIMITED, startFlexServer, UNAVAILABLE } from './flex-server.ts';

const ask = async (baseUrl: string, body: object, path = 'chat/completions') => {
  const request = { model: 'some-model', messages: [], ...body };
  const answer = await fetch(`${baseUrl}/${path}`, { method: 'POST', body: JSON.stringify(request) });
  return { status: answer.status, text: await answer.text() };
};

test('the flex server refuses an unknown service tier', async () => {
  await using server = await startFlexServer();

  const { status, text } = await ask(server.baseUrl, { service_tier: 'standard_only' });

  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'invalid_value', param: 'service_tier' } });
});

test('the flex server refuses the given number of requests on a tier', async () => {
  await using server = await startFlexServer();
  server.refuse('flex', UNAVAILABLE, 2);
  server.refuse('default', RATE_LIMITED, 1);

  const flex = [];
  for (let request = 0; request < 3; request += 1) flex.push(await ask(server.baseUrl, { service_tier: 'flex' }));
  const others = [await ask(server.baseUrl, {}), await ask(server.baseUrl, { service_tier: 'default' })];

  expect(flex.map(({ status }) => status)).toEqual([429, 429, 200]);
  expect(flex[0]?.text).toContain('"code":"resource_unavailable"');
  expect(others.map(({ status }) => status)).toEqual([429, 200]);
  expect(server.tiers()).toEqual(['flex', 'flex', 'flex', null, 'default']);
});

test('the flex server reports the tier of each request over both wires', async () => {
  await using server = await startFlexServer();

  const [flex, auto] = [await ask(server.baseUrl, { service_tier: 'flex' }), await ask(server.baseUrl, {})];
  const response = await ask(server.baseUrl, { service_tier: 'flex' }, 'responses');
  server.report('default');
  const other = await ask(server.baseUrl, { service_tier: 'flex' });

  const tiersIn = (text: string) => [...new Set(text.match(/"service_tier":"\w+"/g))];
  expect(tiersIn(flex.text)).toEqual(['"service_tier":"flex"']);
  expect(tiersIn(auto.text)).toEqual(['"service_tier":"default"']);
  expect(tiersIn(response.text)).toEqual(['"service_tier":"auto"', '"service_tier":"flex"']);
  expect(tiersIn(other.text)).toEqual(['"service_tier":"default"']);
});
