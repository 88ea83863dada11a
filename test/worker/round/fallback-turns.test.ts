import { expect } from 'vitest';
import { turnsQueue } from '#core/queue/job.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { letTimePass } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, run, SECOND, start, test } from './fallback-models.ts';

test('a turn stays with the model that answered, and state stays with its own provider', async ({ models }) => {
  const { harness, first, second } = models;
  const call = (id: string, city: string) => ({ id, name: 'weather_lookup', arguments: [JSON.stringify({ city })] });
  first.answer({ body: openaiWire.reply({ reasoning: ['thought of first'], calls: [call('call_1', 'Tokyo')] }) });
  first.answerNext(refusal(401, 'invalid_api_key'));
  second.answer({
    body: anthropicWire.reply({ reasoning: ['thought of second'], calls: [call('toolu_2', 'Kyoto')] }),
  });
  second.answerNext({ body: anthropicWire.reply({ text: ['Sunny in both.'] }) });
  const own = { tools: ['weather_lookup'], provider_options: { service_tier: 'flex' } };

  const turn = await run(harness, own);

  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny in both.' });
  expect(turn.rounds.map(({ model }) => model)).toEqual([FIRST, SECOND, SECOND]);
  expect(first.asked.map(({ body }) => body.service_tier)).toEqual(['flex', 'flex']);
  expect(second.asked.map(({ body }) => body.service_tier)).toEqual([undefined, undefined]);
  expect(JSON.stringify(second.asked)).not.toContain('thought of first');
  expect(JSON.stringify(second.asked[1])).toContain('thought of second');

  first.answer({ body: openaiWire.reply({ text: ['Gladly.'] }) });
  const { body } = await harness.call<TurnResource>('POST', `/v1/conversations/${turn.conversation_id}/turns`, {
    body: { input: 'Thanks' },
  });
  await harness.workUntilIdle();

  const next = await harness.findTurn(body.id);
  expect(next).toMatchObject({ output: 'Gladly.', rounds: [{ model: FIRST }] });
  expect(JSON.stringify(first.asked.at(-1))).toContain('thought of first');
  expect(JSON.stringify(first.asked.at(-1))).not.toContain('thought of second');
});

test('a retry of a turn with only failed models begins with its own model', async ({ models }) => {
  models.first.answer(refusal(401, 'invalid_api_key'));
  models.second.answer(refusal(403, 'permission_error'));
  const { id } = await run(models.harness);
  models.first.answer({ body: openaiWire.reply({ text: ['First again.'] }) });

  await models.harness.call('POST', `/v1/turns/${id}/retry`);
  await models.harness.workUntilIdle();

  expect(await models.harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'First again.' });
});

test('a turn continues in the new queue after a worker dies at the change of model', async ({ models }) => {
  const { harness, first } = models;
  first.answer(refusal(401, 'invalid_api_key'));
  const { id } = await start(harness);
  const enqueue = harness.worker.enqueueBeforeAck;
  harness.worker.enqueueBeforeAck = async () => {};
  await harness.workUntilIdle();
  harness.worker.enqueueBeforeAck = enqueue;

  await letTimePass(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: SECOND }] });
  expect(first.asked).toHaveLength(1);
});

test('a job in the queue of the next model’s provider asks that model', async ({ models }) => {
  const { harness, first } = models;
  first.answer(refusal(401, 'invalid_api_key'));
  await start(harness);
  const jobsOf = async (provider: string) => {
    const counts = await harness.parts.jobQueue.count([turnsQueue(provider)]);
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };

  const before = [await jobsOf('openai'), await jobsOf('anthropic')];
  await harness.workOnce();

  expect([before, [await jobsOf('openai'), await jobsOf('anthropic')]]).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test('the rescuer does not delay a turn with a lost job during an outage of its model', async ({ models }) => {
  const { harness, first } = models;
  const { id } = await start(harness);
  await harness.workOnce(async () => {});
  harness.worker.rateLimits.refused(FIRST, 60_000);

  await letTimePass(harness, 10_000);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: SECOND }] });
  expect(first.asked).toEqual([]);
});

test('limits count the usage of all models', async ({ models }) => {
  const call = { id: 'call_1', name: 'weather_lookup', arguments: ['{"city":"Tokyo"}'] };
  models.first.answer({ body: openaiWire.reply({ calls: [call] }) });
  models.first.answerNext(refusal(401, 'invalid_api_key'));

  const turn = await run(models.harness, { tools: ['weather_lookup'], limits: { max_rounds: 1 } });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_rounds' } });
  expect(turn.rounds.map(({ model }) => model)).toEqual([FIRST, SECOND]);
});

test('a turn that changes to another model ends at its deadline like any other turn', async ({ models }) => {
  models.first.answer(refusal(401, 'invalid_api_key'));
  models.second.answer(refusal(503, 'away', { 'retry-after': '20' }));
  const { id } = await start(models.harness, { limits: { deadline_seconds: 60 } });
  await models.harness.workUntilIdle();

  await letTimePass(models.harness);

  expect(await models.harness.findTurn(id)).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'deadline' } },
  });
});
