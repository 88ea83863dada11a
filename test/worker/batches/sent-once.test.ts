import { describe, expect } from 'vitest';
import { enter, MINUTE_MS, MODELS, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

describe.for(Object.entries(MODELS))('over the wire %s', ([, model]) => {
  test('a batch with a lost answer is found in the list, and not sent twice', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { lose_answer: true, times: 1 } }, { model });
    await pass(harness);
    expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'asked' }]);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', output: 'It is sunny in Tokyo.' });
    expect(turn.rounds.map(({ attempts }) => attempts)).toEqual([1]);
    expect(harness.keptBatches.created).toHaveLength(1);
  });

  test('a batch that a list shows late is not sent again before', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { lose_answer: true, list_ms: 3_600_000, times: 1 } }, { model });
    await pass(harness);
    await pass(harness, 2 * MINUTE_MS);
    expect(harness.keptBatches.counts.list).toBeGreaterThan(0);
    expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'asked' }]);

    for (const batch of harness.keptBatches.list()) harness.keptBatches.show(batch.id);
    const turn = await untilEnded(harness, id);

    expect(turn.status).toBe('completed');
    expect(harness.keptBatches.created).toHaveLength(1);
  });

  test('a batch that is missing 60 seconds after its request timed out is sent again', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { lose_answer: true, times: 1 } }, { model });
    await pass(harness);
    for (const batch of harness.keptBatches.list()) harness.keptBatches.lose(batch.id);
    await pass(harness, 2 * MINUTE_MS);
    expect(harness.keptBatches.created).toHaveLength(1);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
    expect(harness.keptBatches.created).toHaveLength(2);
  });
});

test('an account without keys has one unconfirmed batch at a time', async ({ harness }) => {
  const lost = { batch: { lose_answer: true, list_ms: 3_600_000, times: 1 } };
  const first = await enter(harness, lost, { model: MODELS.anthropic });
  await pass(harness);
  const second = await enter(harness, { answer: 'It rains.' }, { model: MODELS.anthropic });
  await pass(harness);
  expect(harness.keptBatches.created).toHaveLength(1);

  for (const batch of harness.keptBatches.list()) harness.keptBatches.show(batch.id);

  expect((await untilEnded(harness, first.id)).status).toBe('completed');
  expect((await untilEnded(harness, second.id)).output).toBe('It rains.');
  expect(harness.keptBatches.created).toHaveLength(2);
});
