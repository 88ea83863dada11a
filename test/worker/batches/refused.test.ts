import { describe, expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { enter, HOUR_MS, MODELS, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

describe.for(Object.entries(MODELS))('over the wire %s', ([, model]) => {
  test('a refused batch is sent again without an attempt', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { refuse: true, times: 2 } }, { model });
    await refuseOnce(harness);
    expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'open', refusals: 1 }]);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
    expect(harness.keptBatches.counts.create).toBe(3);
  });

  test('a batch that is refused for 48 hours fails its rounds', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { refuse: true } }, { model });
    await refuseOnce(harness);
    await pass(harness, 47 * HOUR_MS);
    expect((await harness.findTurn(id)).status).toBe('in_progress');
    await pass(harness, HOUR_MS);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited' } });
  });

  test('with tier_fallback, a batch that is refused for 48 hours is left', async ({ harness }) => {
    const { id } = await enter(harness, { batch: { refuse: true } }, { model, tier_fallback: 'default' });
    await refuseOnce(harness);
    await pass(harness, 48 * HOUR_MS);

    const turn = await untilEnded(harness, id);

    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
    const events = await harness.listEvents(id);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tier.changed', from: 'batch', because: 'waited' }));
  });

  test('a batch that is too large is halved until its parts are accepted', async ({ harness }) => {
    harness.keptBatches.limits.maxRequests = 2;
    const many = [];
    for (const nth of [1, 2, 3, 4, 5]) many.push(await enter(harness, { answer: `Answer ${nth}.` }, { model }));

    const turns = [];
    for (const { id } of many) turns.push(await untilEnded(harness, id));

    expect(turns.map(({ output }) => output)).toEqual([1, 2, 3, 4, 5].map((nth) => `Answer ${nth}.`));
    expect(turns.every(({ rounds }) => rounds[0]?.attempts === 1)).toBe(true);
    expect(harness.keptBatches.created.length).toBeGreaterThanOrEqual(3);
  });
});

test('the file of a batch that failed its validation is deleted at the provider', async ({ harness }) => {
  await enter(harness, { batch: { refuse: true } });
  await refuseOnce(harness);
  expect((await rowsOf(harness)).batches).toMatchObject([{ state: 'open', refusals: 1 }]);

  expect(harness.keptBatches.counts).toMatchObject({ upload: 1, delete: 1 });
});

test('a refused batch does not fail a turn with a later deadline', async ({ harness }) => {
  const limits = { deadline_seconds: 72 * 3_600 };
  const { id } = await enter(harness, { batch: { refuse: true } }, { limits });
  await refuseOnce(harness);
  await pass(harness, 49 * HOUR_MS);
  expect((await harness.findTurn(id)).status).toBe('in_progress');

  await pass(harness, 23 * HOUR_MS);

  expect(await untilEnded(harness, id)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'deadline' },
  });
});

/** Sends a batch that its provider refuses: at once, or as OpenAI does, at its validation. */
async function refuseOnce(harness: Harness): Promise<void> {
  await pass(harness);
  await pass(harness, 15_000);
}
