import { expect } from 'vitest';
import { letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { FIRST, refusal, run, SECOND, start, startModels, THIRD, test, typesOf } from './fallback-models.ts';

test.for([
  ['its key is refused', refusal(401, 'invalid_api_key'), 'provider_authentication_failed'],
  ['it may not be used', refusal(403, 'forbidden'), 'provider_permission_denied'],
  ['it is not known', refusal(404, 'model_not_found'), 'provider_model_not_found'],
  ['it lacks a feature of the turn', refusal(400, 'unsupported_parameter'), 'model_unsupported_feature'],
  ['its quota is used up', refusal(429, 'insufficient_quota'), 'quota_exceeded'],
  ['it is overloaded', refusal(529, 'overloaded'), 'provider_overloaded'],
  ['it asks to wait for a minute', refusal(429, 'slow_down', { 'retry-after': '60' }), 'provider_rate_limited'],
  ['it is unavailable for a minute', refusal(503, 'maintenance', { 'retry-after': '60' }), 'provider_unavailable'],
] as const)('the next model is asked at once if %s', async ([, answer, code]) => {
  await using models = await startModels();
  models.first.answer(answer);

  const turn = await run(models.harness);

  expect(turn).toMatchObject({ status: 'completed', output: 'Second here.', model: FIRST });
  expect(turn.rounds).toMatchObject([{ model: SECOND, attempts: 1 }]);
  expect(turn.usage.llm_calls).toBe(2);
  expect(models.first.asked).toHaveLength(1);
  const events = await models.harness.listEvents(turn.id);
  expect(events.map(({ type }) => type)).toEqual([
    ...['turn.queued', 'turn.started', 'model.changed', 'round.completed', 'turn.completed'],
  ]);
  expect(events[2]).toMatchObject({ round: 1, from: FIRST, to: SECOND, error: { type: 'provider_error', code } });
});

test('the next model is asked after a provider dies in all attempts', async ({ models }) => {
  const [begun = ''] = openaiWire.reply({ text: ['Half a sen'] });
  models.first.answer({ body: [begun], ending: 'cut' });
  const { id } = await start(models.harness);

  const turn = await workUntilEnded(models.harness, id);

  expect(turn).toMatchObject({ status: 'completed', output: 'Second here.' });
  expect(turn.rounds).toMatchObject([{ model: SECOND, attempts: 1 }]);
  expect([models.first.asked.length, models.second.asked.length]).toEqual([5, 1]);
  const retries = Array.from({ length: 4 }, () => 'step.retrying');
  expect(await typesOf(models.harness, id)).toEqual([
    ...['turn.queued', 'turn.started', ...retries, 'model.changed', 'round.completed', 'turn.completed'],
  ]);
});

test('a turn waits for a model that requests a short pause', async ({ models }) => {
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '2' }));
  models.first.answerNext({ body: openaiWire.reply({ text: ['First here.'] }) });

  const { id } = await start(models.harness);
  await models.harness.workUntilIdle();
  const waiting = await models.harness.findTurn(id);

  expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(models.second.asked).toEqual([]);
  expect(await typesOf(models.harness, id)).not.toContain('model.changed');
});

test('the operator sets how long a turn waits for a model before its fallback', async () => {
  await using models = await startModels({ PAWL_FALLBACK_AFTER_MS: '1000' });
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '2' }));

  expect(await run(models.harness)).toMatchObject({ status: 'completed', output: 'Second here.' });
});

test('a turn that begins during a long outage of its model asks the next model', async ({ models }) => {
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '60' }));
  await run(models.harness);

  const turn = await run(models.harness);

  expect(turn).toMatchObject({ status: 'completed', output: 'Second here.', usage: { llm_calls: 1 } });
  expect(models.first.asked).toHaveLength(1);
  expect(await typesOf(models.harness, turn.id)).toEqual([
    ...['turn.queued', 'turn.started', 'model.changed', 'round.completed', 'turn.completed'],
  ]);
});

test('a waiting turn asks the next model if its model stays unavailable for longer', async ({ models }) => {
  const { harness, first } = models;
  first.answer(refusal(429, 'slow_down', { 'retry-after': '5' }));
  const { id } = await start(harness);
  await harness.workUntilIdle();
  harness.worker.rateLimits.refused(FIRST, 60_000);

  await letTimePass(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Second here.' });
  expect(first.asked).toHaveLength(1);
});

test.for([
  ['is too long for it', refusal(400, 'context_length_exceeded'), 'context_length_exceeded'],
  ['is refused by it', refusal(400, 'nonsense'), 'provider_invalid_request'],
] as const)('no other model is asked if the request %s', async ([, answer, code]) => {
  await using models = await startModels();
  models.first.answer(answer);

  const turn = await run(models.harness);

  expect(turn).toMatchObject({ status: 'failed', error: { code } });
  expect(models.second.asked).toEqual([]);
});

test('no fallback is asked if a model answers, even with a refusal', async ({ models }) => {
  models.first.answer({ body: openaiWire.reply({ text: ['No.'], finishReason: 'content_filter' }) });

  expect(await run(models.harness)).toMatchObject({ status: 'incomplete', rounds: [{ model: FIRST }] });
  expect(models.second.asked).toEqual([]);
});

test('each model is asked once, in order, and the turn has the last error', async ({ models }) => {
  models.first.answer(refusal(401, 'invalid_api_key'));
  models.second.answer(refusal(404, 'not_found_error'));
  models.third.answer(refusal(403, 'forbidden'));

  const turn = await run(models.harness, { fallback_models: [SECOND, FIRST, SECOND, THIRD] });

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_permission_denied' }, rounds: [] });
  expect(turn.usage.llm_calls).toBe(3);
  const changes = (await models.harness.listEvents(turn.id)).filter(({ type }) => type === 'model.changed');
  expect(changes).toMatchObject([
    { from: FIRST, to: SECOND },
    { from: SECOND, to: THIRD },
  ]);
});
