import { expect } from 'vitest';
import { type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { answer, closeAll, openBackground, paused, rowsOf, runUntilPaused, start, test } from './background-turns.ts';

const usageOf = async (harness: Harness) => {
  const { body } = await harness.call<{ data: { rounds: number; cost_usd: number | null; total_tokens: number }[] }>(
    'GET',
    '/v1/usage',
  );
  return body.data;
};

async function cancel(harness: Harness, id: string) {
  await harness.call('POST', `/v1/turns/${id}/cancel`);
}

test('the response of a cancelled turn is cancelled once, counted and deleted', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { running } = await runUntilPaused(harness);
  await cancel(harness, id);
  harness.worker.heartbeat.stop('cancelled', id);
  await running;

  await closeAll(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'cancelled', rounds: [] });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, cancels: 1, deletes: 1 });
  expect(harness.keptResponses.list()).toEqual([]);
  expect(await rowsOf(harness)).toEqual([]);
});

test('late usage of a response counts once, and not in its turn', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  await cancel(harness, id);
  harness.worker.heartbeat.stop('cancelled', id);
  await running;
  harness.keptResponses.skipDelay(response);
  await waitUntil(() => harness.keptResponses.list()[0]?.status === 'completed');

  await closeAll(harness);

  const [used] = await usageOf(harness);
  expect(used).toMatchObject({ rounds: 0, cost_usd: expect.any(Number) });
  expect(used!.total_tokens).toBeGreaterThan(0);
  expect((await harness.findTurn(id)).usage.total_tokens).toBe(0);
});

test('the usage of a used response counts once, even if its turn is deleted at once', async ({ harness }) => {
  const { id } = await start(harness, { answer });
  await harness.workUntilIdle();
  const { usage } = await harness.findTurn(id);
  await harness.call('DELETE', `/v1/turns/${id}`);

  await closeAll(harness);

  expect(await usageOf(harness)).toMatchObject([{ rounds: 1, total_tokens: usage.total_tokens }]);
  expect(harness.keptResponses.counts).toMatchObject({ cancels: 0, deletes: 1 });
});

test('the response of a turn that leaves its model is cancelled', async () => {
  await using harness = await openBackground({ PAWL_BACKGROUND_TIMEOUT_MS: '5000', PAWL_MODEL_IDLE_TIMEOUT_MS: '200' });
  harness.keptResponses.limits.streamWindowMs = 0;
  const never = { answer, final: { background: { end: 'never', stream: false } } };
  const own = { fallback_models: ['openai/gpt-6-mini'], model_retry: { max_attempts: 1 } };
  const { id } = await start(harness, never, own);
  await harness.workUntilIdle();

  await letTimePass(harness, 20_000);
  await harness.workUntilIdle();
  await closeAll(harness);

  expect((await harness.listEvents(id)).filter(({ type }) => type === 'model.changed')).toHaveLength(1);
  expect(harness.keptResponses.counts.creates).toBe(2);
  expect(harness.keptResponses.counts).toMatchObject({ cancels: 1, deletes: 1 });
});
