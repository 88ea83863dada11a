import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { NotAnswered, replayAnswers } from '#core/llm/batches/replay-answers.ts';
import { bounded } from '#core/llm/bounded.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Provider } from '#core/llm/provider.ts';
import { withOwnState } from '#core/llm/refusals/with-own-state.ts';
import { withWireNames } from '#core/llm/wire-tools/with-wire-names.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import { looseAnthropic } from '#test/llm/anthropic-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { looseResponses } from '#test/llm/responses-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { asked, signal } from './open-batches.ts';

const { post } = makeHttpClient();
const server = { name: 'batched', apiKey: null, baseUrl: 'http://127.0.0.1:9/v1', post };
const openResponses = () => openaiResponsesProvider(server);
const of = (value: object, status = 200): BatchAnswer => ({ kind: 'answered', status, text: JSON.stringify(value) });
const hello = of(looseResponses.whole('Hello'));
const message = 'Encrypted content is not supported with this model.';
const refused = of({ error: { message, type: 'invalid_request_error', param: 'include', code: null } }, 400);

/** Asks with these answers, and returns the reply, the failure, or the body without an answer. */
async function replay(provider: Provider, answers: BatchAnswer[]) {
  const request = { ...someRequest, exchange: replayAnswers(answers, asked) };
  return await provider.ask(request, signal, () => {}).catch((error: unknown) => error);
}

test('a request without an answer passes through all layers of a provider', async () => {
  const bounds = { timeoutMs: 20_000, idleTimeoutMs: 20_000 };
  const provider = bounded(withWireNames(withOwnState(openResponses(), server.baseUrl)), bounds);

  const error = await replay(provider, []);

  expect(error).toBeInstanceOf(NotAnswered);
  expect(error).toMatchObject({ body: { model: 'some-model', include: expect.any(Array) } });
});

test('a refusal in a batch teaches the form of the next request', async () => {
  const provider = openResponses();

  const error = await replay(provider, [refused]);

  expect(error).toBeInstanceOf(NotAnswered);
  expect(error).not.toHaveProperty('body.include');
  expect(await replay(provider, [refused, hello])).toMatchObject({ text: 'Hello' });
});

test('a refusal in a batch counts again after its form was learned', async () => {
  const provider = openResponses();
  await replay(provider, [refused, hello]);

  expect(await replay(provider, [])).not.toHaveProperty('body.include');
  expect(await replay(provider, [refused])).toBeInstanceOf(NotAnswered);
  expect(await replay(provider, [hello])).toMatchObject({ text: 'Hello' });
});

test('a refusal in a batch without another form is a failure of its round', async () => {
  const error = { message: 'Your input has an invalid image.', type: 'invalid_request_error', param: null, code: null };

  const failure = await replay(openResponses(), [of({ error }, 400)]);

  expect(failure).toMatchObject({ code: 'provider_invalid_request', retry: { kind: 'never' } });
});

test.each([
  ['expired', 'provider_timeout'],
  ['cancelled', 'provider_unavailable'],
  ['missing', 'provider_unavailable'],
  ['too-large', 'provider_bad_response'],
] as const)('a request of a batch that is %s fails with %s', async (kind, code) => {
  const failure = await replay(openResponses(), [{ kind }]);

  expect(failure).toMatchObject({ code, retry: { kind: 'later' } });
});

test('an error inside an answer of a batch is a failure of its round', async () => {
  const failure = await replay(openResponses(), [of({ error: { message: 'The server had an error.' } })]);

  expect(failure).toMatchObject({ code: 'provider_unavailable' });
});

test('a paused reply in a batch is resumed by the next request', async () => {
  const provider = anthropicProvider({ ...server, baseUrl: 'http://127.0.0.1:9' });
  const paused = of({ ...looseAnthropic.whole('I search.'), stop_reason: 'pause_turn' });

  const error = await replay(provider, [paused]);

  expect(error).toMatchObject({ body: { messages: [{ role: 'user' }, { role: 'assistant' }] } });
  const reply = await replay(provider, [paused, of(looseAnthropic.whole(' Found.'))]);
  expect(reply).toMatchObject({ text: 'I search. Found.', requests: 2, finishReason: 'stop' });
});

test('a request without an exchange is sent to the server', async () => {
  await using live = await startWireServer({
    headers: { 'content-type': 'application/json' },
    body: [JSON.stringify(looseResponses.whole('Hello'))],
  });

  const reply = await openaiResponsesProvider({ ...server, baseUrl: live.origin }).ask(someRequest, signal, () => {});

  expect(reply).toMatchObject({ text: 'Hello' });
  expect(live.asked).toHaveLength(1);
});
