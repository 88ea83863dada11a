import { describe, expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { enter, HOUR_MS, MODELS, openBatches, pass, rowsOf, test, untilEnded, usageOf } from './batch-turns.ts';

describe.for(Object.entries(MODELS))('over the wire %s', ([, model]) => {
  test.for([{ end: 'expired' }, { end: 'missing' }] as const)(
    'a request that is $end counts as an attempt',
    async ({ end }, { harness }) => {
      const { id } = await enter(harness, { batch: { end, times: 1 } }, { model });

      const turn = await untilEnded(harness, id);

      expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 2 }] });
      expect(harness.keptBatches.created).toHaveLength(2);
    },
  );

  test('a file of results that is cut is read again, and each answer is stored once', async ({ harness }) => {
    const many = await Promise.all(
      [1, 2, 3].map((nth) =>
        enter(harness, { answer: `Answer ${nth}.`, batch: { cut_results: true, times: 1 } }, { model }),
      ),
    );

    const turns = [];
    for (const { id } of many) turns.push(await untilEnded(harness, id));

    expect(turns.map(({ output }) => output)).toEqual(['Answer 1.', 'Answer 2.', 'Answer 3.']);
    expect(turns.flatMap(({ rounds }) => rounds.map(({ attempts }) => attempts))).toEqual([1, 1, 1]);
    expect(harness.keptBatches.created).toHaveLength(1);
    expect((await usageOf(harness)).rounds).toBe(3);
  });

  test('a batch that its provider loses is asked again, as an attempt', async ({ harness }) => {
    const { id } = await enter(harness, {}, { model });
    harness.keptBatches.limits.delayMs = HOUR_MS;
    await pass(harness);
    for (const batch of harness.keptBatches.list()) harness.keptBatches.lose(batch.id);
    harness.keptBatches.limits.delayMs = 0;

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 2 }] });
  });

  test('a batch that its provider has cancelled is asked again, as an attempt', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { end: 'never', times: 1 } }, { model });
    await pass(harness);
    await cancelAtProvider(harness);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 2 }] });
    expect(harness.keptBatches.created).toHaveLength(2);
  });

  test('a batch that has not ended after 48 hours has expired and is cancelled', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { end: 'never', times: 1 } }, { model });
    await pass(harness);
    await pass(harness, 47 * HOUR_MS);
    expect(harness.keptBatches.counts.cancel).toBe(0);
    await pass(harness, HOUR_MS);

    const turn = await untilEnded(harness, id);

    expect(harness.keptBatches.counts.cancel).toBe(1);
    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 2 }] });
  });

  test('a request that its provider refuses fails its round only', async ({ harness }) => {
    const refused = await enter(harness, { final: { fault: { kind: 'status', status: 400 } } }, { model });
    const other = await enter(harness, {}, { model });

    expect(await untilEnded(harness, refused.id)).toMatchObject({ status: 'failed' });
    expect(await untilEnded(harness, other.id)).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  });
});

test('answers cost the price of batches, whatever tier the provider reports', async ({ harness }) => {
  const { id } = await enter(harness, { final: { usage: { prompt_tokens: 1_000_000, completion_tokens: 100_000 } } });

  const turn = await untilEnded(harness, id);

  expect(turn.rounds).toMatchObject([{ usage: { cost_usd: 2 } }]);
});

test('a turn waits for its batch without a slot, and shows this wait', async () => {
  await using harness = await openBatches();
  const { id, waiting } = await enter(harness, {});
  expect(waiting).toEqual({ for: 'batch', since: expect.any(String) });

  await pass(harness);
  await harness.advance(HOUR_MS);
  await harness.rescue();

  expect(await harness.workOnce()).toBe(false);
  expect((await harness.findTurn(id)).waiting).toMatchObject({ for: 'batch' });
  expect((await rowsOf(harness)).requests).toMatchObject([{ state: 'sent' }]);
});

/** Cancels all batches of the simulator by its API, as another program of the account does. */
async function cancelAtProvider({ env, keptBatches }: Harness): Promise<void> {
  const root = env.OPENAI_BASE_URL.replace(/\/v1$/, '');
  for (const { api, id } of keptBatches.list()) {
    const paths = {
      openai: `/v1/batches/${id}/cancel`,
      anthropic: `/v1/messages/batches/${id}/cancel`,
      gemini: `/v1beta/batches/${id}:cancel`,
    };
    const keys = {
      openai: { authorization: 'Bearer sk-test' },
      anthropic: { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' },
      gemini: { 'x-goog-api-key': 'sk-test' },
    };
    const { status } = await fetch(root + paths[api], {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...keys[api] },
      body: '{}',
    });
    expect(status).toBe(200);
  }
}
