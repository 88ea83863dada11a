import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { createHarness, letTimePass } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { startFlexServer, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';

test('the client starts turns on a service tier, and reads the tier of each round', async () => {
  await using server = await startFlexServer();
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: server.baseUrl } });
  const pawl = connectPawl({ baseUrl: harness.url });
  server.refuse('flex', UNAVAILABLE, 1);

  const started = await pawl.turns.start({
    ...{ model: 'openai/test', input: 'Hi', service_tier: 'flex', tier_fallback: 'default' },
  });
  await harness.workUntilIdle();
  const waiting = await harness.findTurn(started.id);
  await letTimePass(harness, 301_000);
  const turn = await started.result();

  expect(waiting.waiting).toMatchObject({ for: 'provider' });
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
  expect(server.tiers()).toEqual(['flex', 'flex']);
});

test('the client reads the tier.changed events of a turn', async () => {
  await using server = await startFlexServer();
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: server.baseUrl } });
  const pawl = connectPawl({ baseUrl: harness.url });
  server.refuse('flex', UNAVAILABLE);
  const started = await pawl.turns.start({
    ...{ model: 'openai/test', input: 'Hi', service_tier: 'flex', tier_fallback: 'default' },
  });
  await harness.workUntilIdle();
  for (let pause = 0; pause < 2; pause += 1) {
    await letTimePass(harness, 301_000);
  }

  const changes: unknown[] = [];
  for await (const event of started.events())
    if (event.type === 'tier.changed') changes.push([event.from, event.to, event.because, event.round]);

  expect(changes).toEqual([['flex', 'default', 'refused', 1]]);
});

test('a conversation of the client keeps its service tier', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const { id } = await pawl.conversations.create({ model: 'openai/test', service_tier: 'flex' });

  const { body } = await harness.call('GET', `/v1/conversations/${id}`);
  expect(body).toMatchObject({ service_tier: 'flex', tier_fallback: null });
});
