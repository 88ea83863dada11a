import { test as base, expect } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import { opening } from '#test/harness/opening.ts';
import { startWithConfig } from '#test/harness/start-with-config.ts';
import { HOSTS, openTwoWires, run, urlAt } from './two-wires.ts';

const model = 'openai/gpt-6';
const hi = { model, input: 'Hi?' };
const user = (...content: object[]) => [{ role: 'user', content }];
const WAV = Buffer.from('RIFF\u0024\0\0\0WAVEfmt ', 'latin1').toString('base64');
const audio = user({ type: 'input_audio', data: WAV, format: 'wav' });

const test = base.extend('wires', opening(openTwoWires));

test('built-in providers use Responses at their hosts, and Chat Completions at others', async ({ wires }) => {
  const asked = async (env: Record<string, string>, name: string) => {
    await run(await wires.open(env), '/v1/turns', { model: `${name}/some-model`, input: 'Hi?' });
    const { host, wire } = wires.asked.at(-1)!;
    return [host, wire];
  };

  const { openai, azure, xai, other } = HOSTS;
  for (const host of [openai, azure]) {
    expect(await asked({ OPENAI_BASE_URL: urlAt(host) }, 'openai')).toEqual([host, 'responses']);
  }
  expect(await asked({ XAI_BASE_URL: urlAt(xai) }, 'xai')).toEqual([xai, 'responses']);
  expect(await asked({ OPENAI_BASE_URL: urlAt(other) }, 'openai')).toEqual([other, 'chat']);
  expect(await asked({ XAI_BASE_URL: urlAt(openai) }, 'xai')).toEqual([openai, 'chat']);
});

test('OPENAI_WIRE and XAI_WIRE choose the wire at any base URL, each for its provider', async ({ wires }) => {
  const elsewhere = { OPENAI_BASE_URL: urlAt('gateway.test'), XAI_BASE_URL: urlAt('gateway.test') };
  const settings: Record<string, string>[] = [
    { OPENAI_WIRE: 'chat' },
    { XAI_WIRE: 'chat' },
    { ...elsewhere, OPENAI_WIRE: 'responses' },
    { ...elsewhere, XAI_WIRE: 'responses' },
  ];

  for (const env of settings) {
    const harness = await wires.open(env);
    await run(harness, '/v1/turns', hi);
    await run(harness, '/v1/turns', { model: 'xai/grok-4', input: 'Hi?' });
  }

  expect(wires.asked.map(({ wire }) => wire)).toEqual([
    ...['chat', 'responses'],
    ...['responses', 'chat'],
    ...['responses', 'chat'],
    ...['chat', 'responses'],
  ]);
});

const onlyChat: [string, object, string][] = [
  ['stop', { stop: ['END'] }, 'stop'],
  ['seed', { seed: 7 }, 'seed'],
  ['a frequency penalty', { provider_options: { frequency_penalty: 0.5 } }, 'frequency_penalty'],
  ['a presence penalty', { provider_options: { presence_penalty: 0.5 } }, 'presence_penalty'],
  ['top_logprobs', { provider_options: { logprobs: true, top_logprobs: 2 } }, 'top_logprobs'],
  ['options with stop', { provider_options: { stop: ['END'] } }, 'stop'],
  ['options with seed', { provider_options: { seed: 7 } }, 'seed'],
  ['audio', { input: audio }, 'input_audio'],
];

test.for(onlyChat)('a turn with %s is sent over Chat Completions', async ([, fields, named], { wires }) => {
  const harness = await wires.open();

  const turn = await run(harness, '/v1/turns', { ...hi, ...fields });

  expect(turn).toMatchObject({ status: 'completed', output: 'Hi.' });
  expect(wires.asked[0]).toMatchObject({ wire: 'chat' });
  expect(JSON.stringify(wires.asked[0]!.body)).toContain(named);
});

test.for(onlyChat)('a turn with %s is refused if Responses was chosen', async ([, fields, named], { wires }) => {
  const own = { kind: 'openai-responses', base_url: urlAt('gateway.test') };
  const harness = await wires.open({ OPENAI_WIRE: 'responses', PAWL_PROVIDERS: JSON.stringify({ own }) });

  for (const model of ['openai/gpt-6', 'own/gpt-6']) {
    const { status, body } = await harness.call('POST', '/v1/turns', { body: { ...hi, model, ...fields } });

    expect(status).toBe(400);
    if (named === 'input_audio') {
      expect(body).toMatchObject({ error: { code: 'unsupported_content', param: 'input[0].content[0]' } });
    } else {
      const param = 'provider_options' in fields ? `provider_options.${named}` : named;
      expect(body).toMatchObject({ error: { code: 'unsupported_parameter', param } });
      for (const word of [named, model.split('/')[0]]) expect(JSON.stringify(body)).toContain(word);
    }
  }
  expect(wires.asked).toEqual([]);
});

test('the wire is stored with the turn, and a worker with another setting uses it', async ({ wires }) => {
  const chat = await wires.open({ OPENAI_WIRE: 'chat' });
  const responses = await wires.open({ OPENAI_WIRE: 'responses' });
  const unset = await wires.open();

  for (const api of [chat, responses, unset]) {
    for (const worker of [chat, responses, unset]) {
      const { id } = await api.startTurn(hi);
      await worker.workUntilIdle();
      expect(await worker.findTurn(id)).toMatchObject({ status: 'completed', output: 'Hi.' });
    }
  }

  expect(wires.asked.map(({ wire }) => wire)).toEqual([...['chat', 'chat', 'chat'], ...Array(6).fill('responses')]);
});

test('a turn that was stored without a wire is sent over Chat Completions', async ({ wires }) => {
  for (const env of [{}, { OPENAI_WIRE: 'responses' }, { OPENAI_WIRE: 'chat' }]) {
    const harness = await wires.open(env);
    await startWithConfig(harness, { input: 'Hi?', config: { model } });
    await harness.workUntilIdle();
  }

  expect(wires.asked.map(({ wire }) => wire)).toEqual(['chat', 'chat', 'chat']);
});

test('turns of conversations, forks, reruns and schedules have a wire, too', async ({ wires }) => {
  const harness = await wires.open();
  const first = await run(harness, '/v1/turns', hi);
  const next = await run(harness, `/v1/conversations/${first.conversation_id}/turns`, { input: 'And?' });
  const fork = await run(harness, `/v1/turns/${next.id}/fork`, { after_round: 0, input: 'Or?' });
  const rerun = await run(harness, `/v1/turns/${next.id}/rerun`, {});
  const path = '/v1/schedules';
  const { body } = await harness.call<ScheduleResource>('POST', path, { body: { turn: hi, every_seconds: 60 } });
  await harness.advance(60_000);
  await harness.fireSchedules();
  await harness.workUntilIdle();

  expect(wires.asked.map(({ wire }) => wire)).toEqual(Array(5).fill('responses'));
  expect([fork, rerun].map(({ status }) => status)).toEqual(['completed', 'completed']);
  const { body: fired } = await harness.call<ScheduleResource>('GET', `${path}/${body.id}`);
  for (const id of [first.id, next.id, fork.id, rerun.id, fired.last[0]!.turn_id!]) {
    expect((await loadTurn(harness.db, id))?.config).toMatchObject({ wires: { openai: 'openai-responses' } });
  }
});

test('a fork or a rerun of a turn with audio is sent over Chat Completions, too', async ({ wires }) => {
  const harness = await wires.open();
  const { id } = await run(harness, '/v1/turns', { model, input: audio });

  await run(harness, `/v1/turns/${id}/fork`, { after_round: 0 });
  await run(harness, `/v1/turns/${id}/rerun`, {});

  expect(wires.asked.map(({ wire }) => wire)).toEqual(['chat', 'chat', 'chat']);
  for (const { body } of wires.asked) expect(JSON.stringify(body)).toContain('input_audio');
});

test('turns of a conversation with stop use Chat Completions, and others use Responses', async ({ wires }) => {
  const harness = await wires.open();
  const stopping = await harness.call('POST', '/v1/conversations', { body: { model, stop: ['END'] } });
  const plain = await harness.call('POST', '/v1/conversations', { body: { model } });

  await run(harness, `/v1/conversations/${stopping.body.id}/turns`, { input: 'Hi?' });
  await run(harness, `/v1/conversations/${plain.body.id}/turns`, { input: 'Hi?', stop: ['END'] });
  await run(harness, `/v1/conversations/${plain.body.id}/turns`, { input: 'Hi?' });
  await run(harness, '/v1/turns', { ...hi, provider_options: { seed: null } });

  expect(wires.asked.map(({ wire }) => wire)).toEqual(['chat', 'chat', 'responses', 'responses']);
});

test('a server without Responses fails the turn, and the error names OPENAI_WIRE=chat', async () => {
  await using wires = await openTwoWires({ lacksResponses: true });
  const harness = await wires.open();

  const turn = await run(harness, '/v1/turns', hi);

  expect(turn).toMatchObject({
    status: 'failed',
    error: { type: 'provider_error', code: 'model_unsupported_feature', retryable: false },
  });
  expect(turn.error?.message).toContain('OPENAI_WIRE=chat');
  expect(wires.asked).toHaveLength(1);
});

test('a turn with fallback models asks the next model if a server has no Responses', async () => {
  await using wires = await openTwoWires({ lacksResponses: true });
  const gateway = { kind: 'openai', base_url: urlAt('gateway.test') };
  const harness = await wires.open({ PAWL_PROVIDERS: JSON.stringify({ gateway }) });

  const turn = await run(harness, '/v1/turns', { ...hi, fallback_models: ['xai/grok-4', 'gateway/model'] });

  expect(turn).toMatchObject({ status: 'completed', output: 'Hi.' });
  expect(wires.asked.map(({ host, wire }) => [host, wire])).toEqual([
    ['api.openai.com', 'responses'],
    ['api.x.ai', 'responses'],
    ['gateway.test', 'chat'],
  ]);
});
