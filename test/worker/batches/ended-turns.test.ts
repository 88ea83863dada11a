import { expect } from 'vitest';
import { enter, HOUR_MS, MINUTE_MS, MODELS, pass, rowsOf, test, untilEnded, usageOf } from './batch-turns.ts';

test('a turn that is cancelled before its batch is sent is left out', async ({ harness }) => {
  const cancelled = await enter(harness, { answer: 'Never.' });
  const other = await enter(harness, { answer: 'It rains.' });
  await harness.call('POST', `/v1/turns/${cancelled.id}/cancel`);

  expect((await untilEnded(harness, other.id)).output).toBe('It rains.');
  expect(harness.keptBatches.created).toMatchObject([{ requests: [expect.anything()] }]);
});

test.for(Object.entries(MODELS))(
  'a batch for a cancelled turn alone is cancelled over %s',
  async ([, model], { harness }) => {
    const { id } = await enter(harness, { batch: { end: 'never' } }, { model });
    await pass(harness);
    await harness.call('POST', `/v1/turns/${id}/cancel`);

    await harness.workBatches();

    expect(harness.keptBatches.counts.cancel).toBe(1);
    await pass(harness, 10 * MINUTE_MS);
    for (let looks = 0; looks < 8; looks += 1) await pass(harness, HOUR_MS);
    expect(await rowsOf(harness)).toEqual({ batches: [], requests: [] });
    expect(harness.keptBatches.counts.cancel).toBe(1);
  },
);

test('an answer for a cancelled turn counts as late usage, and not in its turn', async ({ harness }) => {
  harness.keptBatches.limits.delayMs = HOUR_MS;
  const cancelled = await enter(harness, {});
  const other = await enter(harness, { answer: 'It rains.' });
  await pass(harness);
  await harness.call('POST', `/v1/turns/${cancelled.id}/cancel`);
  const before = await usageOf(harness);

  for (const { id } of harness.keptBatches.list()) harness.keptBatches.end(id);
  await untilEnded(harness, other.id);
  await pass(harness);

  const turn = await harness.findTurn(cancelled.id);
  expect(turn).toMatchObject({ status: 'cancelled', rounds: [], usage: { output_tokens: 0 } });
  const counted = (await usageOf(harness)).outputTokens - before.outputTokens;
  expect(counted).toBeGreaterThan((await harness.findTurn(other.id)).usage.output_tokens);
  expect(await rowsOf(harness)).toMatchObject({ requests: [] });
});

test('batches and files are deleted at the provider, with retries', async ({ harness }) => {
  const { id } = await enter(harness, {});
  await untilEnded(harness, id);
  await pass(harness);

  expect(harness.keptBatches.counts.delete).toBe(2);
  expect(await rowsOf(harness)).toEqual({ batches: [], requests: [] });
});
