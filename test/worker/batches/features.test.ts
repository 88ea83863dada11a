import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { enter, MODELS, pass, rowsOf, test, untilEnded } from './batch-turns.ts';

const price = {
  type: 'object',
  properties: { price: { type: 'number' } },
  required: ['price'],
  additionalProperties: false,
};

test('an answer that breaks its schema is repaired in a further batch', async ({ harness }) => {
  const script = { answer: '{"price":"2.50"}', repairs: [{ say: '{"price":2.5}' }] };
  const { id } = await enter(harness, script, { output_schema: { name: 'price', schema: price }, tools: [] });

  const turn = await untilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', output: '{"price":2.5}', round: 2 });
  expect(harness.keptBatches.created).toHaveLength(2);
  expect(harness.modelRequests).toEqual([]);
});

test('a history is compacted with a direct summary, and the round is asked by batch', async ({ harness }) => {
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const long = 'A long story. '.repeat(150);
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: MODELS.chat, context, service_tier: 'batch' },
  });
  const say = async () => {
    const script = { answer: long, summary: { say: 'They greeted.' } };
    const path = `/v1/conversations/${body.id}/turns`;
    const started = await harness.call<{ id: string }>('POST', path, { body: { input: scripted(script) } });
    await harness.workUntilIdle();
    return await untilEnded(harness, started.body.id);
  };

  const turns = [await say(), await say(), await say()];

  expect(turns.at(-1)).toMatchObject({ status: 'completed', compactions: [{ summary: 'They greeted.' }] });
  expect(harness.modelRequests).toHaveLength(1);
  expect(harness.keptBatches.created).toHaveLength(3);
});

test('a fallback model is asked by batch too', async ({ harness }) => {
  const fallback = { fallback_models: [MODELS.responses], model_retry: { max_attempts: 1 } };
  const { id } = await enter(harness, { batch: { delay_ms: 3_600_000 } }, fallback);
  await pass(harness);
  const [first] = harness.keptBatches.list();
  harness.keptBatches.lose(first!.id);
  await pass(harness);
  await pass(harness);
  harness.keptBatches.end(harness.keptBatches.list().at(-1)!.id);

  const turn = await untilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ model: MODELS.responses }] });
  expect(harness.keptBatches.created.map(({ model }) => model)).toEqual(['gpt-4.1', 'gpt-6']);
});

test('an input that joins while a round waits for its batch is sent in the next round', async ({ harness }) => {
  const { id } = await enter(harness, {}, { tools: [] });
  const joined = await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: 'And in Paris?' } });
  expect(joined.status).toBeLessThan(300);

  const turn = await untilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', round: 2 });
  expect(harness.keptBatches.created).toHaveLength(2);
});

test('a response in the background is answered by batch', async ({ harness }) => {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/responses', {
    body: { model: MODELS.responses, input: 'Hello!', background: true, service_tier: 'batch' },
  });
  await harness.workUntilIdle();
  await pass(harness);
  await pass(harness);

  const { body: response } = await harness.call('GET', `/v1/responses/${body.id}`);

  expect(response).toMatchObject({ status: 'completed' });
  expect(harness.keptBatches.created).toHaveLength(1);
});

test('two jobs for one round enter one request, and two workers send one batch', async ({ harness }) => {
  const { id } = await harness.startTurn({ model: MODELS.chat, service_tier: 'batch', input: 'Hello!' });
  await harness.workUntilIdle({ deliveries: 2 });
  await harness.advance(60_000);
  await Promise.all([harness.workBatches(), harness.workBatches(), harness.workBatches()]);

  const turn = await untilEnded(harness, id);

  expect(turn.status).toBe('completed');
  expect(harness.keptBatches.created).toMatchObject([{ requests: [expect.anything()] }]);
  expect((await rowsOf(harness)).requests).toEqual([]);
});
