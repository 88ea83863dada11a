import { expect } from 'vitest';
import { makeBatchLoop } from '#services/worker/batches/batch-loop.ts';
import { enter, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

test('a worker that closes leaves due batches to other workers', async ({ harness }) => {
  const { id } = await enter(harness, { batch: { refuse: true, times: 1 } });
  await pass(harness);
  await pass(harness, 15_000);
  await harness.advance(3_600_000);
  const closing = makeBatchLoop(harness.worker);
  await closing.close();

  await closing.tick();
  await closing.settled();

  expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'open', owner: null }]);
  await harness.workBatches();
  expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'sent' }]);
  expect((await untilEnded(harness, id)).status).toBe('completed');
});

test('a worker that stops before it cancels a batch leaves the cancel to others', async ({ harness }) => {
  const { id } = await enter(harness, { batch: { end: 'never' } });
  await pass(harness);
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  const stopping = makeBatchLoop(harness.worker);
  await stopping.tick();
  await stopping.close();

  await harness.workBatches();

  expect(harness.keptBatches.counts.cancel).toBeGreaterThan(0);
  await pass(harness);
  await pass(harness);
  expect(await rowsOf(harness)).toEqual({ batches: [], requests: [] });
});
