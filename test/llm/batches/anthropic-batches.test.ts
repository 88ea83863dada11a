import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { anthropicBatches } from '#core/llm/batches/anthropic/anthropic-batches.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { looseAnthropic } from '#test/llm/anthropic-wire.ts';
import { batchExam } from './batch-exam.ts';
import { bodyOf, collect, linesOf, openBatches, signal } from './open-batches.ts';
import { refusal, startAnthropicServer } from './servers/anthropic-server.ts';

const { post } = makeHttpClient();
const serverAt = (origin: string) => ({ name: 'batched', apiKey: 'sk-batch', baseUrl: origin, post });
const refused = { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens is too large' } };
const api = {
  start: startAnthropicServer,
  open: (origin: string) => ({
    batches: anthropicBatches(serverAt(origin)),
    provider: anthropicProvider(serverAt(origin)),
  }),
  whole: looseAnthropic.whole,
  ...{ refused, refusal },
};

batchExam('anthropic', api);

test('a batch that may be the lost batch is unsure until it has ended', async () => {
  const { server, batches, send, unconfirmed } = await openBatches(api, ['req_1', 'req_2']);
  await using _ = server;
  await send();

  expect(await batches.find(unconfirmed, signal)).toEqual({ kind: 'unsure' });
  const early = { ...unconfirmed, createdAt: new Date('2026-12-01T13:00:00Z') };
  expect(await batches.find(early, signal)).toEqual({ kind: 'missing' });
  const larger = { ...unconfirmed, ids: new Set(['req_1']) };
  expect(await batches.find(larger, signal)).toEqual({ kind: 'missing' });
});

test('a batch with sampling has the version of the API that supports sampling', async () => {
  const { server, batches, provider } = await openBatches(api, []);
  await using _ = server;
  const lines = [
    batches.lineOf({ id: 'req_1', body: await bodyOf(provider) }),
    batches.lineOf({ id: 'req_2', body: await bodyOf(provider, { temperature: 0.5 }) }),
  ];

  const by = { commit: async () => {}, signal };
  const sent = await batches.send({ key: 'key_1', model: 'some-model' }, linesOf(lines), by);

  expect(sent).toMatchObject({ kind: 'sent' });
});

test('a refused batch names its only bad line', async () => {
  const { server, batches, provider } = await openBatches(api, []);
  await using _ = server;
  const body = await bodyOf(provider);
  const lines = ['req_1', 'req_2'].map((id) => batches.lineOf({ id, body: id === 'req_2' ? { model: 'm' } : body }));

  const by = { commit: async () => {}, signal };
  const sent = await batches.send({ key: 'key_1', model: 'some-model' }, linesOf(lines), by);

  expect(sent).toMatchObject({ kind: 'refused', badLine: { id: 'req_2', status: 400 }, isTooLarge: false });
});

test.each([
  ['invalid_request_error', 400],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['overloaded_error', 529],
  ['a_new_error', 500],
])('an errored request of a batch with %s has status %i', async (type, status) => {
  const { server, batches, sendEnded } = await openBatches(api, ['req_1', 'req_2']);
  await using _ = server;
  const batch = await sendEnded([
    { id: 'req_1', status: 400, body: { type: 'error', error: { type, message: 'No.' } } },
    { id: 'req_2', without: 'expired' },
  ]);

  expect(await collect(batches.results(batch.id, signal))).toMatchObject([
    { id: 'req_2', answer: { kind: 'expired' } },
    { id: 'req_1', answer: { kind: 'answered', status } },
  ]);
});
