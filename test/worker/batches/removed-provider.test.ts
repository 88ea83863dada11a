import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { enter, HOUR_MS, MODELS, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

test('the row of a batch ends a day after its answers if no worker has its provider', async ({ harness }) => {
  const { id } = await enter(harness, {}, { model: MODELS.gemini });
  await untilEnded(harness, id);
  expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'collected' }]);
  await using other = await createHarness({ beside: harness });

  await pass(other, HOUR_MS);
  expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'collected', owner: null }]);
  await pass(other, 24 * HOUR_MS);

  expect((await rowsOf(harness)).batches).toEqual([]);
});
