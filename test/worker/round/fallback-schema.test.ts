import { expect } from 'vitest';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, run, SECOND, startModels, THIRD, test } from './fallback-models.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const output_schema = { name: 'trip', schema };
const fits = '{"city":"Lisbon","days":3}';

test('the fallback repairs an invalid answer after the turn has left its model', async ({ models }) => {
  models.first.answer({ body: openaiWire.reply({ text: ['{"city":"Lisbon","days":0}'] }) });
  models.first.answerNext(refusal(401, 'invalid_api_key'));
  models.second.answer({ body: anthropicWire.reply({ text: [fits] }) });

  const turn = await run(models.harness, { output_schema });

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { city: 'Lisbon', days: 3 } });
  expect(turn.rounds).toMatchObject([{ model: FIRST }, { model: SECOND }]);
  expect(turn.usage.llm_calls).toBe(3);
  const asked = models.second.asked.at(-1)!.body;
  expect(asked).toMatchObject({ output_config: { format: { type: 'json_schema' } } });
  expect(JSON.stringify(asked)).toContain('- /days must be >= 1');
});

const plain = { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', structured_outputs: false };

test('a model gets the schema natively beside a fallback without structured outputs', async () => {
  await using models = await startModels({ PAWL_PROVIDERS: JSON.stringify({ plain }) });
  models.first.answer({ body: openaiWire.reply({ text: [fits] }) });
  const fallback_models = ['plain/model'];

  const turn = await run(models.harness, { output_schema, fallback_models });
  const native = { ...output_schema, mode: 'native' };
  const body = { model: FIRST, input: 'Hi', fallback_models, output_schema: native };
  const refused = await models.harness.call('POST', '/v1/turns', { body });
  const fork = await models.harness.call('POST', `/v1/turns/${turn.id}/fork`, { body: { input: 'Again.' } });

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { days: 3 } });
  const asked = models.first.asked.at(-1)!.body;
  expect(asked).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: true } } });
  expect(JSON.stringify(asked)).not.toContain('# Answer');
  expect(fork.status).toBe(202);
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_parameter', param: 'fallback_models[0]' } },
  });
});

test.each([
  { model: FIRST, fallback: THIRD },
  { model: THIRD, fallback: FIRST },
])('$model and $fallback each get the output schema in their own way', async ({ model, fallback }) => {
  await using models = await startModels({}, { structured_outputs: false });
  const [one, other] = model === FIRST ? [models.first, models.third] : [models.third, models.first];
  one.answer(refusal(401, 'invalid_api_key'));
  other.answer({ body: openaiWire.reply({ text: [fits] }) });

  const turn = await run(models.harness, { model, fallback_models: [fallback], output_schema });

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { days: 3 } });
  const [native, instructed] = [models.first.asked.at(-1)!.body, models.third.asked.at(-1)!.body];
  expect(native).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: true } } });
  expect(instructed).not.toHaveProperty('response_format');
  expect([native, instructed].map((body) => JSON.stringify(body).includes('# Answer'))).toEqual([false, true]);
});
