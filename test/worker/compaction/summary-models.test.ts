import { expect, test } from 'vitest';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, startModels, THIRD } from '#test/worker/round/fallback-models.ts';
import { converse, long } from './converse.ts';

const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: THIRD };

test('the turn’s model writes the summary if the named model has an open-ended limit', async () => {
  await using models = await startModels({ PAWL_FALLBACK_AFTER_MS: '1000' });
  models.first.answer({ body: openaiWire.reply({ text: [long] }) });
  models.third.answer(refusal(429, 'slow_down'));
  const { say } = await converse(models.harness, context, { model: FIRST });

  await say(long);
  await say(long);
  const turn = await say(long);

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ model: FIRST }] });
  expect(models.third.asked).toHaveLength(1);
});

test('the turn’s model has its own attempts after the named model used all of its own', async () => {
  await using models = await startModels();
  models.first.answer({ body: openaiWire.reply({ text: [long] }) });
  models.third.answer({ status: 503 });
  const { say } = await converse(models.harness, context, { model: FIRST });

  await say(long);
  await say(long);
  models.first.answer({ status: 503 });
  const failed = await say(long, {}, { attempts: 12 });

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
  // Two answers, and five attempts.
  expect([models.third.asked.length, models.first.asked.length]).toEqual([5, 2 + 5]);
});
