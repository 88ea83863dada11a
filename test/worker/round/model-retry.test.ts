import { expect } from 'vitest';
import { workUntilEnded } from '#test/harness/create-harness.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { converse, long } from '#test/worker/compaction/converse.ts';
import { FIRST, refusal, SECOND, start, startModels, THIRD, test, typesOf } from './fallback-models.ts';

const alone = { fallback_models: [] };

test.for([1, 7])(
  'a turn with max_attempts %i makes this number of requests to a failing model',
  async (max_attempts) => {
    await using models = await startModels();
    models.first.answer(refusal(503, 'maintenance'));
    const { id } = await start(models.harness, { ...alone, model_retry: { max_attempts } });

    const turn = await workUntilEnded(models.harness, id);

    expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
    expect(models.first.asked).toHaveLength(max_attempts);
    expect((await typesOf(models.harness, id)).filter((type) => type === 'step.retrying')).toHaveLength(
      max_attempts - 1,
    );
  },
);

test('each model of a turn has max_attempts, and then the next model is asked', async ({ models }) => {
  const { harness, first, second } = models;
  first.answer(refusal(503, 'maintenance'));
  second.answer(refusal(503, 'maintenance'));
  const { id } = await start(harness, { model_retry: { max_attempts: 2 } });

  const turn = await workUntilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
  expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
  expect(await harness.listEvents(id)).toContainEqual(
    expect.objectContaining({ type: 'model.changed', from: FIRST, to: SECOND }),
  );
});

test('max_attempts adds no attempt if a page answers in place of a model', async ({ models }) => {
  models.first.answer({ headers: { 'content-type': 'text/html' }, body: ['<html>Sign in</html>'] });
  const { id } = await start(models.harness, { ...alone, model_retry: { max_attempts: 7 } });

  const turn = await workUntilEnded(models.harness, id);

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_bad_response' } });
  expect(models.first.asked).toHaveLength(2);
});

test.for([
  ['timeout_ms', 'no reply within 1500 ms'],
  ['idle_timeout_ms', 'silent for 1500 ms'],
] as const)('%s of a turn ends a request, and the next model is asked', async ([field, reason]) => {
  await using models = await startModels();
  const { harness, first } = models;
  first.answer({ ending: 'drip' });

  const { id } = await start(harness, { model_retry: { max_attempts: 1, [field]: 1_500 } });
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Second here.' });
  expect(await harness.listEvents(id)).toContainEqual(
    expect.objectContaining({
      type: 'model.changed',
      error: expect.objectContaining({ code: 'provider_timeout', message: expect.stringContaining(reason) }),
    }),
  );
});

test('a turn may wait longer for its model than the operator’s default', async () => {
  await using models = await startModels({ PAWL_MODEL_TIMEOUT_MS: '1', PAWL_MODEL_IDLE_TIMEOUT_MS: '1' });
  const { harness, first } = models;
  first.answer({ body: openaiWire.reply({ text: ['First here.'] }) });
  const times = { timeout_ms: 60_000, idle_timeout_ms: 60_000 };

  const { id } = await start(harness, { ...alone, model_retry: { max_attempts: 1, ...times } });
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'First here.' });
});

test('the lease of a round lasts as long as its timeout allows', async () => {
  await using models = await startModels({ PAWL_MODEL_TIMEOUT_MS: '1000' });
  const { harness, first } = models;
  first.answer({ body: openaiWire.reply({ text: ['First here.'] }) });
  const { heartbeat } = harness.worker;
  const limits: number[] = [];
  const track: typeof heartbeat.track = (lease, options) => {
    limits.push(options.limitMs);
    return heartbeat.track(lease, options);
  };
  harness.worker.heartbeat = { ...heartbeat, track };

  for (const model_retry of [null, { timeout_ms: 3_600_000 }, { timeout_ms: 10 }])
    await start(harness, { ...alone, model_retry });
  await harness.workUntilIdle();

  // A minute more than two requests.
  expect(limits).toEqual([62_000, 60_000 + 2 * 3_600_000, 60_020]);
});

const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: THIRD };

test.for([1, 2, 7])(
  'max_attempts %i also applies to summaries, and to the model that follows',
  async (max_attempts) => {
    await using models = await startModels();
    const { harness, first, third } = models;
    first.answer({ body: openaiWire.reply({ text: [long] }) });
    third.answer({ status: 503 });
    const { say } = await converse(harness, context, { model: FIRST, model_retry: { max_attempts } });

    await say(long);
    await say(long);
    first.answer({ status: 503 });
    const failed = await say(long, {}, { attempts: 18 });

    expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
    // The first model answered twice before this.
    expect([third.asked.length, first.asked.length]).toEqual([max_attempts, 2 + max_attempts]);
  },
);

test('timeouts of a turn end a request for a summary', async ({ models }) => {
  const { harness, first, third } = models;
  first.answer({ body: openaiWire.reply({ text: [long] }) });
  third.answer({ ending: 'drip' });
  const model_retry = { max_attempts: 1, timeout_ms: 1_500 };
  const { say } = await converse(harness, context, { model: FIRST, model_retry });

  await say(long);
  await say(long);
  const turn = await say(long);

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ model: FIRST }] });
  expect(third.asked).toHaveLength(1);
});
