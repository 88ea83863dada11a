import { expect } from 'vitest';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { scripted } from '#test/harness/scripted.ts';
import { MINUTE_MS, MODELS, test, untilEnded } from './batch-turns.ts';

test('the summary of a turn by batch ends a rate limit of its model that is over', async ({ harness }) => {
  let now = 0;
  const rateLimits = makeRateLimits({ publishToWorkers: () => {} }, () => now);
  harness.worker.rateLimits = rateLimits;
  rateLimits.refused(MODELS.chat, 1_000);
  now += MINUTE_MS;
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: MODELS.chat, context, service_tier: 'batch' },
  });
  const script = scripted({ answer: 'A long story. '.repeat(150), summary: { say: 'They greeted.' } });
  const say = async () => {
    const path = `/v1/conversations/${body.id}/turns`;
    const started = await harness.call<{ id: string }>('POST', path, { body: { input: script } });
    await harness.workUntilIdle();
    return await untilEnded(harness, started.body.id);
  };
  await say();
  await say();
  expect(rateLimits.any()).toBe(true);

  const turn = await say();

  expect(turn.compactions).toMatchObject([{ summary: 'They greeted.' }]);
  expect(rateLimits.any()).toBe(false);
});
