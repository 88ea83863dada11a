import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { type Answer, startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const FIRST = 'openai/first';
const SECOND = 'anthropic/second';
const THIRD = 'third/model';

type Models = AsyncDisposable & { harness: Harness; first: WireServer; second: WireServer; third: WireServer };

/** Three providers: one of Anthropic's wire between two of OpenAI's. The last two answer. */
async function startModels(env: Record<string, string> = {}): Promise<Models> {
  const [first, second, third] = await Promise.all([startWireServer(), startWireServer(), startWireServer()]);
  const providers = { third: { kind: 'openai', base_url: third.origin } };
  const harness = await createHarness({
    env: {
      ...{ OPENAI_BASE_URL: first.origin, ANTHROPIC_BASE_URL: second.origin, ANTHROPIC_API_KEY: 'none-at-all' },
      PAWL_PROVIDERS: JSON.stringify(providers),
      ...env,
    },
  });
  second.answer({ body: anthropicWire.reply({ text: ['Second here.'] }) });
  third.answer({ body: openaiWire.reply({ text: ['Third here.'] }) });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await Promise.all([first, second, third].map((server) => server[Symbol.asyncDispose]()));
  };
  return { harness, first, second, third, [Symbol.asyncDispose]: dispose };
}

function start(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  return harness.startTurn({ model: FIRST, fallback_models: [SECOND], input: 'Hi', ...own });
}

async function run(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  const { id } = await start(harness, own);
  await harness.workUntilIdle();
  return harness.findTurn(id);
}

const typesOf = async (harness: Harness, id: string) => (await harness.listEvents(id)).map(({ type }) => type);
const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: [JSON.stringify({ error: { message: code, code, type: code } })],
});

test.for([
  ['its key is refused', refusal(401, 'invalid_api_key'), 'provider_authentication_failed'],
  ['it may not be used', refusal(403, 'forbidden'), 'provider_permission_denied'],
  ['it is not known', refusal(404, 'model_not_found'), 'provider_model_not_found'],
  ['its quota is used up', refusal(429, 'insufficient_quota'), 'quota_exceeded'],
  ['it is overloaded', refusal(529, 'overloaded'), 'provider_overloaded'],
  ['it asks to wait for a minute', refusal(429, 'slow_down', { 'retry-after': '60' }), 'provider_rate_limited'],
  ['it is away for a minute', refusal(503, 'maintenance', { 'retry-after': '60' }), 'provider_unavailable'],
] as const)('the next model is asked at once where %s', async ([, answer, code]) => {
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

test('a provider that dies in the middle of each of its replies is left once its tries are used up', async () => {
  await using models = await startModels();
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

test('a model that asks to wait for a moment is waited for', async () => {
  await using models = await startModels();
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '2' }));
  models.first.answerNext({ body: openaiWire.reply({ text: ['First here.'] }) });

  const { id } = await start(models.harness);
  await models.harness.workUntilIdle();
  const waiting = await models.harness.findTurn(id);

  expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(models.second.asked).toEqual([]);
  expect(await typesOf(models.harness, id)).not.toContain('model.changed');
});

test('how long a model is waited for is the operator’s to say', async () => {
  await using models = await startModels({ PAWL_FALLBACK_AFTER_MS: '1000' });
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '2' }));

  expect(await run(models.harness)).toMatchObject({ status: 'completed', output: 'Second here.' });
});

test('a turn that begins while its model is known to be away for long is begun, and asks the next one', async () => {
  await using models = await startModels();
  models.first.answer(refusal(429, 'slow_down', { 'retry-after': '60' }));
  await run(models.harness);

  const turn = await run(models.harness);

  expect(turn).toMatchObject({ status: 'completed', output: 'Second here.', usage: { llm_calls: 1 } });
  expect(models.first.asked).toHaveLength(1);
  expect(await typesOf(models.harness, turn.id)).toEqual([
    ...['turn.queued', 'turn.started', 'model.changed', 'round.completed', 'turn.completed'],
  ]);
});

test('a turn that waits for its model asks the next one once that is away for longer', async () => {
  await using models = await startModels();
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
  ['is one that it refuses', refusal(400, 'nonsense'), 'provider_invalid_request'],
] as const)('no other model is asked where the request %s', async ([, answer, code]) => {
  await using models = await startModels();
  models.first.answer(answer);

  const turn = await run(models.harness);

  expect(turn).toMatchObject({ status: 'failed', error: { code } });
  expect(models.second.asked).toEqual([]);
});

test('nor where a model answers, be it a refusal', async () => {
  await using models = await startModels();
  models.first.answer({ body: openaiWire.reply({ text: ['No.'], finishReason: 'content_filter' }) });

  expect(await run(models.harness)).toMatchObject({ status: 'incomplete', rounds: [{ model: FIRST }] });
  expect(models.second.asked).toEqual([]);
});

test('the models are asked in their order, each once, and the error of the last is that of the turn', async () => {
  await using models = await startModels();
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

test('a turn stays with the model that answered, and its options and state go to their own provider alone', async () => {
  await using models = await startModels();
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

test('a retry of a turn whose models have all failed begins with its own model', async () => {
  await using models = await startModels();
  models.first.answer(refusal(401, 'invalid_api_key'));
  models.second.answer(refusal(403, 'permission_error'));
  const { id } = await run(models.harness);
  models.first.answer({ body: openaiWire.reply({ text: ['First again.'] }) });

  await models.harness.call('POST', `/v1/turns/${id}/retry`);
  await models.harness.workUntilIdle();

  expect(await models.harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'First again.' });
});

test('a worker that dies behind the change leaves a turn that the next one goes on with, in the new queue', async () => {
  await using models = await startModels();
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
