import { expect, test } from 'vitest';
import { geminiBatches } from '#core/llm/batches/gemini/gemini-batches.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { looseGemini } from '#test/llm/gemini-wire.ts';
import { batchExam } from './batch-exam.ts';
import { bodyOf, collect, linesOf, openBatches, signal } from './open-batches.ts';
import { refusal, startGeminiServer } from './servers/gemini-server.ts';

const { post } = makeHttpClient();
const serverAt = (origin: string) => ({ name: 'batched', apiKey: 'sk-batch', baseUrl: origin, post });
const api = {
  start: startGeminiServer,
  open: (origin: string) => ({ batches: geminiBatches(serverAt(origin)), provider: geminiProvider(serverAt(origin)) }),
  whole: looseGemini.whole,
  refused: { code: 3, message: 'Request contains an invalid argument.' },
  refusal,
};

batchExam('gemini', api);

test('a refused batch names its only bad line', async () => {
  const { server, batches, provider } = await openBatches(api, []);
  await using _ = server;
  const body = await bodyOf(provider);
  const lines = ['req_1', 'req_2'].map((id) => batches.lineOf({ id, body: id === 'req_2' ? {} : body }));

  const by = { commit: async () => {}, signal };
  const sent = await batches.send({ key: 'key_1', model: 'some-model' }, linesOf(lines), by);

  expect(sent).toMatchObject({ kind: 'refused', badLine: { id: 'req_2', status: 400 }, isTooLarge: false });
});

test('a batch that failed as a whole is refused', async () => {
  const { server, batches, send } = await openBatches(api, ['req_1']);
  await using _ = server;
  await send();
  const [batch] = server.batches;
  batch!.state = 'failed';

  expect(await batches.state(batch!.id, signal)).toMatchObject({
    ...{ kind: 'refused', isTooLarge: false, badLine: null, files: [] },
    failure: { code: 'provider_rate_limited' },
  });
});

test('the number of an error in a batch becomes the status of a request', async () => {
  const { server, batches, sendEnded } = await openBatches(api, ['req_1', 'req_2']);
  await using _ = server;
  const batch = await sendEnded([
    { id: 'req_1', status: 400, body: { code: 8, message: 'Busy.' } },
    { id: 'req_2', status: 400, body: { code: 503, message: 'Away.' } },
  ]);

  expect(await collect(batches.results(batch.id, signal))).toMatchObject([
    { id: 'req_1', answer: { status: 429, text: '{"error":{"code":429,"message":"Busy."}}' } },
    { id: 'req_2', answer: { status: 503 } },
  ]);
});

test('a batch with another name of a model is refused without a request', async () => {
  const { server, batches } = await openBatches(api, []);
  await using _ = server;

  const by = { commit: async () => {}, signal };
  const sent = await batches.send({ key: 'key_1', model: '../files' }, linesOf([]), by);

  expect(sent).toMatchObject({ kind: 'refused', failure: { code: 'provider_model_not_found' } });
  expect(server.asked).toEqual([]);
});

test('responses of a batch without keys belong to the requests in their order', async () => {
  const { server, batches, sendEnded } = await openBatches(api, ['req_1', 'req_2']);
  await using _ = server;
  const results = ['req_1', 'req_2'].map((id) => ({ id, status: 200, body: api.whole(id) }));
  const sent = await sendEnded(results);
  server.script.results = (text) => ({
    body: text.replaceAll('"metadata": {\n            "key"', '"other": {\n "key"'),
  });

  const read = await collect(batches.results(sent.id, signal, ['req_1', 'req_2']));

  expect(read).toEqual(results.map(({ id, body }) => ({ id, answer: answerOf(body) })));
  expect(await collect(batches.results(sent.id, signal))).toEqual([]);
});

test('responses of a batch in its metadata, or in the inner list only, are read once', async () => {
  const { server, batches, sendEnded } = await openBatches(api, ['req_1']);
  await using _ = server;
  const sent = await sendEnded([]);
  const list = [{ response: api.whole('Hello'), metadata: { key: 'req_1' } }];
  const output = { inlinedResponses: { inlinedResponses: list } };
  const bodies = [
    { metadata: { state: 'BATCH_STATE_SUCCEEDED', output }, done: true, response: output },
    { metadata: { output }, done: true },
    { done: true, response: { inlinedResponses: list } },
  ];

  for (const body of bodies) {
    server.script.results = () => ({ body });

    expect(await batches.state(sent.id, signal)).toEqual({ kind: 'ended', files: [] });
    const read = await collect(batches.results(sent.id, signal));
    expect(read).toEqual([{ id: 'req_1', answer: answerOf(api.whole('Hello')) }]);
  }
});

const answerOf = (body: object) => ({ kind: 'answered', status: 200, text: JSON.stringify(body) });
