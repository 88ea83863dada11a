import OpenAI from 'openai';
import { expect } from 'vitest';
import { startApi } from '#services/api/start-api.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';
import { test } from '../test.ts';
import { completing, scriptedUser, startedTurn, turnIdOf, user } from './completing.ts';
import { contentOf, openCompletionStream } from './completion-stream.ts';

const broken = { kind: 'status' as const, status: 400 };

test.each([
  ['before any text', [scriptedUser({ final: { fault: broken } })], ''],
  [
    'after a round',
    [
      scriptedUser({
        rounds: [{ say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }],
        final: { fault: broken },
      }),
    ],
    'Let me look.',
  ],
])('a completion that fails %s ends its stream with an error and without [DONE]', async (_, messages, text) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);

  const stream = await openCompletionStream(harness, {
    body: { messages, pawl: { tools: ['weather_lookup'] }, stream_options: { include_usage: true } },
  });
  await stream.over;

  const chunks = stream.chunks();
  expect(stream.response.status).toBe(200);
  expect(chunks.at(-1)).toEqual({
    error: {
      ...{ message: expect.any(String), type: 'invalid_request_error' },
      ...{ param: null, code: 'provider_invalid_request' },
    },
  });
  expect(stream.frames).not.toContain('data: [DONE]');
  expect(stream.text().trim()).toBe(text);
  expect(chunks.slice(0, -1).every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true);
});

test('the OpenAI client raises the error of a stream', async ({ harness, worker: _ }) => {
  const { completions } = completing(harness);

  const stream = completions.stream({ model: 'test', messages: [scriptedUser({ final: { fault: broken } })] });
  const error = await stream.finalChatCompletion().catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(OpenAI.APIError);
  expect(error).toMatchObject({ code: 'provider_invalid_request' });
});

test('the stream of a cancelled completion ends with stop and [DONE]', async ({ harness }) => {
  const stream = await openCompletionStream(harness, { body: { messages: [user('Hi')] } });
  const id = await startedTurn(harness);

  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await stream.over;

  expect(stream.chunks().at(-1)?.choices).toMatchObject([{ delta: {}, finish_reason: 'stop' }]);
  expect(stream.frames.at(-1)).toBe('data: [DONE]');
});

const [begun = ''] = openaiWire.reply({ text: ['Half a sen'] });

/** Streams a completion until its model has sent half a sentence. */
async function streamHalf(server: WireServer, pawl: object = {}) {
  const harness = await createHarness({ env: { OPENAI_BASE_URL: server.origin } });
  const worker = await startBackgroundWorker(harness);
  const stream = await openCompletionStream(harness, { body: { messages: [user('Hi')], pawl } });
  await stream.until((chunks) => contentOf(chunks) === 'Half a sen');
  const dispose = async () => {
    await worker[Symbol.asyncDispose]();
    await harness[Symbol.asyncDispose]();
  };
  return { harness, stream, [Symbol.asyncDispose]: dispose };
}

test('a stream that is cancelled within a text ends with stop and [DONE]', async () => {
  await using server = await startWireServer();
  server.answer({ body: [begun], ending: 'hang' });
  await using half = await streamHalf(server);
  const { id } = half.stream.chunks()[0]!;

  await half.harness.call('POST', `/v1/turns/${turnIdOf(id)}/cancel`);
  await half.stream.over;

  expect(half.stream.chunks().at(-1)?.choices).toMatchObject([{ delta: {}, finish_reason: 'stop' }]);
  expect(half.stream.frames.at(-1)).toBe('data: [DONE]');
  const { completions } = completing(half.harness);
  expect((await completions.retrieve(id)).choices).toMatchObject([
    { finish_reason: 'stop', message: { content: null } },
  ]);
});

test('a stream ends with an error and without [DONE] if its model fails permanently', async () => {
  await using server = await startWireServer();
  const heard = Promise.withResolvers<void>();
  server.answer({ body: [begun, heard.promise], ending: 'cut' });
  await using half = await streamHalf(server, { model_retry: { max_attempts: 1 } });

  heard.resolve();
  await half.stream.over;

  expect(half.stream.chunks().at(-1)).toMatchObject({ error: { type: 'server_error', code: 'provider_unavailable' } });
  expect(half.stream.frames).not.toContain('data: [DONE]');
});

test('a stream ends with an error if its API stops, and the completion continues', async ({ harness }) => {
  const { parts, settings, log } = harness;
  const stopping = await startApi(parts, settings, log);
  const stream = await openCompletionStream(stopping, { body: { messages: [user('Hi')] } });
  await stream.until((chunks) => chunks.length > 0);

  await stopping.close(10_000);
  await stream.over;

  expect(stream.chunks().at(-1)).toMatchObject({
    error: { type: 'server_error', code: 'server_stopping', param: null },
  });
  expect(stream.frames).not.toContain('data: [DONE]');
  await harness.workUntilIdle();
  expect((await harness.findTurn(await startedTurn(harness))).status).toBe('completed');
});
