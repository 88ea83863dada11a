import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, SECOND, startModels } from '../round/fallback-models.ts';

const long = 'word '.repeat(400);
const prices = { [FIRST]: { input: 1, output: 1 }, [SECOND]: { input: 100, output: 100 } };
const PAWL_PRICES = JSON.stringify(prices);
const usage = { input_tokens: 1_000, output_tokens: 500 };
const counted = { ...usage, total_tokens: 1_500, cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };

/** Plays two turns with a long answer, and a third turn that summarizes its history before its round. */
async function converse(harness: Harness, standing: object): Promise<TurnResource> {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: FIRST, ...standing },
  });
  let last: TurnResource | undefined;
  for (const input of ['One', 'Two', 'Three']) {
    const turn = await harness.call<TurnResource>('POST', `/v1/conversations/${body.id}/turns`, { body: { input } });
    last = await workUntilEnded(harness, turn.body.id);
  }
  return last!;
}

test('the turn’s model writes the summary, at its price, if the named model refuses', async () => {
  await using models = await startModels({ PAWL_PRICES });
  const answer = { body: openaiWire.reply({ text: [long], usage: counted }) };
  models.first.answer(answer);
  models.first.answerNext(answer, { body: openaiWire.reply({ text: ['They counted.'], usage: counted }) }, answer);
  models.second.answer(refusal(401, 'invalid_api_key'));

  const turn = await converse(models.harness, { context: { ...context, model: SECOND } });

  expect(turn).toMatchObject({ status: 'completed', model: FIRST });
  expect(turn.compactions).toMatchObject([{ summary: 'They counted.', model: FIRST, usage: { cost_usd: 0.0015 } }]);
  expect(turn.usage).toMatchObject({ cost_usd: 0.003, llm_calls: 3, total_tokens: 3_000 });
  expect((await models.harness.listEvents(turn.id)).map(({ type }) => type)).not.toContain('model.changed');
});

test('the fallback writes the summary and answers if the model of the turn cannot', async () => {
  await using models = await startModels({ PAWL_PRICES });
  const answer = { body: openaiWire.reply({ text: [long], usage: counted }) };
  models.first.answer(answer);
  models.first.answerNext(answer, refusal(401, 'invalid_api_key'));
  models.second.answer({ body: anthropicWire.reply({ text: ['They counted.'] }) });

  const turn = await converse(models.harness, { context, fallback_models: [SECOND] });

  expect(turn).toMatchObject({ status: 'completed', output: 'They counted.', rounds: [{ model: SECOND }] });
  expect(turn.compactions).toMatchObject([{ summary: 'They counted.', model: SECOND }]);
  expect(models.first.asked).toHaveLength(3);
  expect(models.second.asked).toHaveLength(2);
});

test('a model without a price writes no summaries of a turn with a cost limit', async () => {
  await using models = await startModels({ PAWL_PRICES: JSON.stringify({ [FIRST]: prices[FIRST] }) });
  const body = { model: FIRST, input: 'Hi', context: { ...context, model: SECOND }, limits: { max_cost_usd: 1 } };

  const refused = await models.harness.call('POST', '/v1/turns', { body });

  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_parameter', param: 'context.model' } },
  });
});
