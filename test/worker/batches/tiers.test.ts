import { expect } from 'vitest';
import { enter, HOUR_MS, MINUTE_MS, pass, test, untilEnded, usageOf } from './batch-turns.ts';

const tier_fallback = 'default';

test('with tier_fallback, a round is asked directly after three failed results', async ({ harness }) => {
  const { id } = await enter(harness, { batch: { end: 'expired', times: 3 } }, { tier_fallback });

  const turn = await untilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 4 }] });
  expect(harness.keptBatches.created).toHaveLength(3);
  expect(harness.modelRequests).toHaveLength(1);
  const events = await harness.listEvents(id);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tier.changed', from: 'batch', to: 'default', because: 'refused' }),
  );
});

test('without tier_fallback, five failed results fail the turn', async ({ harness }) => {
  const { id } = await enter(harness, { batch: { end: 'expired' } });

  const turn = await untilEnded(harness, id, { most: 120 });

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' } });
  expect(harness.keptBatches.created).toHaveLength(5);
  expect(harness.modelRequests).toEqual([]);
});

test('with tier_fallback, a round leaves its batch when its deadline is near', async ({ harness }) => {
  const limits = { deadline_seconds: 24 * 3_600 };
  const { id } = await enter(harness, { batch: { delay_ms: 3_600_000 } }, { tier_fallback, limits });
  await pass(harness);
  await pass(harness, 22 * HOUR_MS);
  expect((await harness.findTurn(id)).status).toBe('in_progress');
  await pass(harness, HOUR_MS);

  const turn = await untilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed' });
  expect(harness.modelRequests).toHaveLength(1);
  const events = await harness.listEvents(id);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tier.changed', because: 'deadline' }));
});

test('a round with a stored answer uses it, although its deadline is near', async ({ harness }) => {
  const { id } = await enter(harness, {}, { tier_fallback, limits: { deadline_seconds: 1_000 } });
  for (let minutes = 0; minutes < 2; minutes += 1) {
    await harness.advance(MINUTE_MS);
    await harness.workBatches();
  }
  await harness.advance(700_000);
  await harness.rescue();
  await harness.workUntilIdle();

  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  expect(harness.modelRequests).toEqual([]);
});

test('an answer after the round has left its batch counts as late usage, once', async ({ harness }) => {
  const limits = { deadline_seconds: 24 * 3_600 };
  const { id } = await enter(harness, { batch: { delay_ms: 3_600_000 } }, { tier_fallback, limits });
  await pass(harness);
  const [batch] = harness.keptBatches.list();
  await harness.advance(23 * HOUR_MS);
  await harness.rescue();
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);
  expect(turn.status).toBe('completed');
  const before = await usageOf(harness);

  harness.keptBatches.end(batch!.id);
  await pass(harness, 10 * MINUTE_MS);
  await pass(harness, 10 * MINUTE_MS);

  const after = await usageOf(harness);
  expect(after.outputTokens).toBeGreaterThan(before.outputTokens);
  expect((await harness.findTurn(id)).usage).toEqual(turn.usage);
});

test('the round after a change of the tier is asked by batch again', async ({ harness }) => {
  const rounds = [
    { tools: [{ name: 'weather_lookup', arguments: { city: 'Tokyo' } }], batch: { end: 'expired', times: 3 } },
  ];
  const { id } = await enter(harness, { rounds }, { tier_fallback });

  const turn = await untilEnded(harness, id);

  expect(turn.status).toBe('completed');
  expect(harness.modelRequests).toHaveLength(1);
  expect(harness.keptBatches.created).toHaveLength(4);
});
