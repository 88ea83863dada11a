import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';

test('the client reads the statistics of the turns in a range', async ({ harness }) => {
  await harness.startTurn({ input: 'Hi' });
  const pawl = connectPawl({ baseUrl: harness.url });

  const lastDay = await pawl.statistics();
  const before = await pawl.statistics({ from: '2026-01-01', to: '2026-01-02', buckets: 2 });

  expect([lastDay.turns.queued, lastDay.buckets.length]).toEqual([1, 48]);
  expect([before.turns.queued, before.buckets.length, before.to]).toEqual([0, 2, '2026-01-02T00:00:00.000Z']);
});
