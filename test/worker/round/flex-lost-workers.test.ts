import { expect } from 'vitest';
import { letTimePass } from '#test/harness/create-harness.ts';
import { UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { passTime, rowOf, run, start, test, tierChanges } from './flex-turns.ts';

const tier_fallback = 'default';

test('a round is asked on default after its worker died at the change of tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness, { tier_fallback });
  await passTime(harness);
  const enqueue = harness.worker.enqueueBeforeAck;
  harness.worker.enqueueBeforeAck = async () => {};
  await passTime(harness);
  harness.worker.enqueueBeforeAck = enqueue;
  const [between, row] = [server.tiers(), await rowOf(harness, id)];

  await letTimePass(harness);

  expect(between).toEqual(['flex', 'flex', 'flex']);
  expect(row.tier_wait).toMatchObject({ refusals: 3, tier: 'default' });
  expect(server.tiers()).toEqual(['flex', 'flex', 'flex', 'default']);
  expect(await tierChanges(harness, id)).toHaveLength(1);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
});

test('a round that lost its worker on default is asked on default again', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness, { tier_fallback });
  await passTime(harness);
  await harness.advance(301_000);
  await harness.rescue();
  await harness.workOnce();
  const held = server.hold(1);
  const lost = harness.workOnce();
  await held.reached;

  await letTimePass(harness, 20_000);
  held.open();
  await lost;

  expect(server.tiers().filter((tier) => tier === 'flex')).toHaveLength(3);
  expect(await tierChanges(harness, id)).toHaveLength(1);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
});

test('a last refusal that is delivered twice changes the tier once', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness, { tier_fallback });
  await passTime(harness);

  await harness.advance(301_000);
  await harness.rescue();
  await harness.workUntilIdle({ deliveries: 3 });

  expect(server.tiers()).toEqual(['flex', 'flex', 'flex', 'default']);
  expect(await tierChanges(harness, id)).toHaveLength(1);
});

test('a row names its refusals, their first time and its tier only while it waits', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 2);

  const { id } = await start(harness, { tier_fallback });
  const before = await rowOf(harness, id);
  await harness.workUntilIdle();
  const first = await rowOf(harness, id);
  await passTime(harness);
  const second = await rowOf(harness, id);

  expect(before.tier_wait).toBeNull();
  expect(first.tier_wait).toEqual({ refusals: 1, since: expect.any(String), tier: null });
  expect(second.tier_wait).toMatchObject({ refusals: 2, tier: null });
});
