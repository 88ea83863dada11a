import { expect } from 'vitest';
import { enter, pass, rowsOf, test } from './batch-turns.ts';

test('the files of a refused batch are deleted at the provider', async ({ harness }) => {
  await enter(harness, { batch: { refuse: true, times: 1 } });
  await pass(harness);
  expect(harness.keptBatches.files()).toHaveLength(1);

  await pass(harness);

  expect(await rowsOf(harness)).toMatchObject({ batches: [{ state: 'open', refusals: 1 }] });
  expect(harness.keptBatches.files()).toEqual([]);
});
