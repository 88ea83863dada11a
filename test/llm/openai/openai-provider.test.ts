import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { event, openaiWire } from '#test/llm/openai-wire.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const signal = new AbortController().signal;
const { post } = makeHttpClient();
const make = (origin: string, more: object = {}) =>
  openaiProvider({ name: 'openai', apiKey: 'sk-test-123456', baseUrl: `${origin}/v1`, post, ...more });

providerExam('openai', (origin) => make(origin), openaiWire);
providerExam('openai on connections of its own', (origin) => make(origin, { post: makeHttpClient().post }), openaiWire);

async function ask(answer: Answer, more: object = {}) {
  await using server = await startWireServer();
  server.answer(answer);
  const reply = await make(server.origin, more).ask(someRequest, signal, () => undefined);
  return { reply, asked: server.asked };
}

const json = { 'content-type': 'application/json' };

test('one ask is one request, with the key and an id to find it by', async () => {
  const { asked } = await ask({ body: openaiWire.reply({ text: ['Hi.'] }) });

  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'some-model', stream: true } });
  expect(asked[0]!.headers).toMatchObject({
    authorization: 'Bearer sk-test-123456',
    'x-client-request-id': 'turn_x-r1-a1',
  });
});

test('a key that no header may hold is not sent, and not tried again', async () => {
  await using server = await startWireServer();
  const asking = make(server.origin, { apiKey: 'sk-test\u2026' }).ask(someRequest, signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'internal', retry: { kind: 'never' } });
  expect(server.asked).toEqual([]);
});

test('a refusal is asked once: retries are not the business of an adapter', async () => {
  await using server = await startWireServer();
  server.answer({ ...openaiWire.refusal(500), headers: { ...json, 'x-should-retry': 'true' } });

  await expect(make(server.origin).ask(someRequest, signal, () => undefined)).rejects.toThrow('openai');

  expect(server.asked).toHaveLength(1);
});

test('calls one after another share a connection', async () => {
  await using server = await startWireServer();
  server.answer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  const provider = make(server.origin, { post: makeHttpClient().post });

  for (let call = 0; call < 10; call += 1) await provider.ask(someRequest, signal, () => undefined);

  expect(server.connections()).toBeLessThan(5);
});

test('without a key no Authorization header is sent', async () => {
  const { asked } = await ask({ body: openaiWire.reply({ text: ['Hi.'] }) }, { apiKey: null });

  expect(asked[0]!.headers.authorization).toBeUndefined();
});

test('a base URL may be learned at the first call', async () => {
  await using server = await startWireServer();
  server.answer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  const provider = make('', { baseUrl: async () => `${server.origin}/other/v1` });

  await provider.ask(someRequest, signal, () => undefined);

  expect(server.asked[0]!.path).toBe('/other/v1/chat/completions');
});

test('a reply sent whole, after keep-alive padding, is read like a stream', async () => {
  const whole = { object: 'chat.completion', choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };

  const { reply } = await ask({ headers: json, body: ['\n   \n', '\n  \n', JSON.stringify(whole)] });

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

test('a 200 with unrelated JSON is a bad response', async () => {
  const asking = ask({ headers: json, body: ['{"hello":"world"}'] });

  await expect(asking).rejects.toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
});

test('broken JSON in the middle of a stream is a bad response', async () => {
  const asking = ask({ body: [event({ content: 'Hi' }), 'data: {"choices":[\n\n', event({}, 'stop')] });

  await expect(asking).rejects.toMatchObject({ code: 'provider_bad_response' });
});

test('a connection that breaks after the finish reason costs nothing', async () => {
  const { reply } = await ask({ body: [event({ content: 'Hi.' }), event({}, 'stop')], ending: 'cut' });

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'stop', usage: null });
});

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const counted = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const counting = (content: string) => event({ content }, null, { usage });
const named = { index: 0, id: 'x', function: { name: 'f', arguments: '' } };

test('a stream without a finish reason that counts and is done is whole (Snowflake Cortex)', async () => {
  const call = { index: 0, id: 'x', function: { name: 'f', arguments: '{}' } };

  const words = await ask({ body: [event({ content: 'Hi.' }), counted, event({ function_call: { name: '' } }), DONE] });
  const calls = await ask({ body: [event({ tool_calls: [call] }), counted + DONE] });
  const beside = await ask({ body: [event({ content: 'Hi.' }, null, { usage }), DONE] });

  expect(words.reply).toMatchObject({ text: 'Hi.', finishReason: 'stop', finishReasonRaw: null });
  expect(words.reply.usage).toMatchObject({ total_tokens: 5 });
  expect(calls.reply).toMatchObject({ calls: [{ id: 'x' }], finishReason: 'tool_calls', finishReasonRaw: null });
  expect(beside.reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

test.each([
  ['that only counts', [event({ content: 'Ha' }), counted]],
  ['that is done and has not counted', [event({ content: 'Ha' }), DONE]],
  ['that goes on after it has counted', [event({ content: 'Ha' }, null, { usage }), event({ content: 'lf' }), DONE]],
  ['that counts beside each of its texts', [counting('Ha'), counting('lf'), DONE]],
  ['that counts from its role on', [event({ role: 'assistant', content: '' }, null, { usage }), counting('Ha'), DONE]],
  ['that counts beside the name of a call', [counting('Hm.'), event({ tool_calls: [named] }, null, { usage }), DONE]],
  ['that goes on with a call after it has counted', [counted, event({ tool_calls: [named] }), DONE]],
])('a stream without a finish reason %s was cut', async (_, body) => {
  await expect(ask({ body })).rejects.toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
});

test('an error object after the finish reason is still an error', async () => {
  const error = { error: { code: 502, message: 'Upstream broke' } };

  const asking = ask({ body: [event({ content: 'Hi.' }, 'stop'), `data: ${JSON.stringify(error)}\n\n`] });

  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable', provider: { status: 502 } });
});

test('an error object without an error field (vLLM) is read, too', async () => {
  const error = { object: 'error', message: 'No room', type: 'BadRequestError', code: 400 };

  const asking = ask({ body: [`data: ${JSON.stringify(error)}\n\n`] });

  await expect(asking).rejects.toMatchObject({ code: 'provider_invalid_request', provider: { status: 400 } });
});

test.each([
  [{ detail: 'Invalid API Key' }, 401, 'provider_authentication_failed'],
  [
    { object: 'error', message: 'Too large for a model with 32768 maximum context length', type: 'x' },
    400,
    'context_length_exceeded',
  ],
  [
    { code: 'Some requested entity was not found', error: 'The model grok-x does not exist' },
    404,
    'provider_model_not_found',
  ],
  [
    [{ error: { code: 400, message: 'API key not valid', status: 'INVALID_ARGUMENT' } }],
    400,
    'provider_authentication_failed',
  ],
  [{ error: { message: 'You have no quota', code: 'insufficient_quota' } }, 429, 'quota_exceeded'],
])('an error body of any shape is read: %j', async (body, status, code) => {
  const asking = ask({ status, headers: json, body: [JSON.stringify(body)] });

  await expect(asking).rejects.toMatchObject({ code, provider: { status }, message: expect.stringContaining('says') });
});

test('a failure never shows the key, a header or a page of HTML', async () => {
  const leak = { error: { message: 'Bad key sk-test-123456, you sent "Bearer sk-test-123456"' } };

  const refused = await ask({ status: 401, headers: json, body: [JSON.stringify(leak)] }).catch((error) => error);
  const page = await ask({ status: 502, body: ['<html>Bad gateway</html>'] }).catch((error) => error);

  expect(JSON.stringify({ ...refused, message: refused.message })).not.toContain('sk-test');
  expect(refused.message).toContain('Check the key of openai.');
  expect(page.message).toBe('openai could not be reached, or broke off (502).');
});
