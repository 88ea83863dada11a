import { expect, test } from 'vitest';
import { openaiBatches } from '#core/llm/batches/openai/openai-batches.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { looseOpenai } from '#test/llm/openai-wire.ts';
import { looseResponses } from '#test/llm/responses-wire.ts';
import { batchExam } from './batch-exam.ts';
import { type BatchApiUnderTest, collect, openBatches, signal } from './open-batches.ts';
import { refusal, startOpenaiServer } from './servers/openai-server.ts';

const { post } = makeHttpClient();
const refused = {
  error: { message: 'max_tokens is too large', type: 'invalid_request_error', param: null, code: null },
};
const serverAt = (origin: string) => ({ name: 'batched', apiKey: 'sk-batch', baseUrl: `${origin}/v1`, post });

const chat: BatchApiUnderTest = {
  start: startOpenaiServer,
  open: (origin) => ({
    batches: openaiBatches({ server: serverAt(origin), endpoint: '/v1/chat/completions', place: origin }),
    provider: openaiProvider(serverAt(origin)),
  }),
  whole: looseOpenai.whole,
  ...{ refused, refusal },
};

batchExam('chat completions', chat);

batchExam('responses', {
  ...chat,
  open: (origin) => ({
    batches: openaiBatches({ server: serverAt(origin), endpoint: '/v1/responses', place: origin }),
    provider: openaiResponsesProvider(serverAt(origin)),
  }),
  whole: looseResponses.whole,
});

/** Opens a batch at a server with these differences. */
async function openAt(ids: string[]) {
  const server = await startOpenaiServer();
  const opened = await openBatches({ ...chat, start: async () => server }, ids);
  return { ...opened, server };
}

test('a batch at a server without the expiry of files is sent by the second upload', async () => {
  const { server, send } = await openAt(['req_1']);
  await using _ = server;
  server.state.takesExpiry = false;

  await expect(send()).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(await send()).toMatchObject({ kind: 'sent', files: ['file_1'] });

  expect(server.batches).toHaveLength(1);
});

test('a batch that waits for the queue of tokens is refused for a while', async () => {
  const { server, batches, sendRunning } = await openAt(['req_1']);
  await using _ = server;
  server.state.fullQueue = true;

  const sent = await sendRunning();
  expect(await batches.state(sent.id, signal)).toMatchObject({
    ...{ kind: 'refused', isTooLarge: false, badLine: null, files: ['file_1'] },
    failure: { code: 'provider_rate_limited' },
  });
});

test('a batch that fails its validation names its only bad line', async () => {
  const { server, batches } = await openAt([]);
  await using _ = server;
  const body = { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }] };
  const lines = async function* () {
    yield batches.lineOf({ id: 'req_1', body });
    yield batches.lineOf({ id: 'req_2', body: { ...body, messages: [] } });
    yield batches.lineOf({ id: 'req_3', body });
  };

  const by = { commit: async () => {}, signal };
  const sent = await batches.send({ key: 'key_1', model: 'some-model' }, lines(), by);

  if (sent.kind !== 'sent') throw new Error('refused');
  const state = await batches.state(sent.id, signal);
  expect(state).toMatchObject({ kind: 'refused', isTooLarge: false, badLine: { id: 'req_2', status: 400 } });
});

test('an upload of a batch that is too large is refused before the commit', async () => {
  const { server, send, happened } = await openAt(['req_1']);
  await using _ = server;
  server.script.always = refusal(413, 'The file is too large.');

  expect(await send()).toMatchObject({ kind: 'refused', isTooLarge: true });
  expect(happened).toEqual([]);
});

test('an expired request of a batch has no answer', async () => {
  const { server, batches, sendEnded } = await openAt(['req_1']);
  await using _ = server;
  const batch = await sendEnded([{ id: 'req_1', without: 'expired' }]);

  expect(await collect(batches.results(batch.id, signal))).toEqual([{ id: 'req_1', answer: { kind: 'expired' } }]);
});

test('a line of a batch has no fields of a stream', async () => {
  const { server, batches } = await openAt([]);
  await using _ = server;

  const body = { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } };
  const line = Buffer.from(batches.lineOf({ id: 'req_1', body })).toString();

  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toEqual({
    ...{ custom_id: 'req_1', method: 'POST', url: '/v1/chat/completions' },
    body: { model: 'm', messages: [] },
  });
});

test('the account of a batch is a hash of the address and the key', () => {
  const accountOf = (place: string, apiKey: string | null) =>
    openaiBatches({ server: { ...serverAt(place), apiKey }, endpoint: '/v1/responses', place }).account;

  expect(accountOf('https://a.example', 'sk-1')).toBe(accountOf('https://a.example/', 'sk-1'));
  expect(accountOf('https://a.example', 'sk-1')).not.toBe(accountOf('https://a.example', 'sk-2'));
  expect(accountOf('https://a.example', 'sk-1')).not.toBe(accountOf('https://b.example', 'sk-1'));
  expect(accountOf('https://a.example', null)).toMatch(/^[0-9a-f]{16}$/);
});
