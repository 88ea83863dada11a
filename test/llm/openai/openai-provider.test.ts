import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { httpExam, KEY } from '#test/llm/http-exam.ts';
import { event, openaiWire } from '#test/llm/openai-wire.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const signal = new AbortController().signal;
const { post } = makeHttpClient();
const make = (origin: string, more: object = {}) =>
  openaiProvider({ name: 'openai', apiKey: KEY, baseUrl: `${origin}/v1`, post, ...more });

providerExam('openai', (origin) => make(origin), openaiWire);
httpExam('openai', make, {
  wire: openaiWire,
  path: /^\/v1\/chat\/completions$/,
  keyHeaders: { authorization: `Bearer ${KEY}` },
  body: { model: 'some-model', stream: true },
});

async function ask(answer: Answer, more: object = {}) {
  await using server = await startWireServer(answer);
  const reply = await make(server.origin, more).ask(someRequest, signal, () => undefined);
  return { reply, asked: server.asked };
}

const json = { 'content-type': 'application/json' };

test('a key that is invalid in a header is not sent, without a retry', async () => {
  await using server = await startWireServer();
  const asking = make(server.origin, { apiKey: 'sk-test\u2026' }).ask(someRequest, signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'internal', retry: { kind: 'never' } });
  expect(server.asked).toEqual([]);
});

test('a base URL may be resolved at the first call', async () => {
  await using server = await startWireServer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  const provider = make('', { baseUrl: async () => `${server.origin}/other/v1` });

  await provider.ask(someRequest, signal, () => undefined);

  expect(server.asked[0]!.path).toBe('/other/v1/chat/completions');
});

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const counted = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const counting = (content: string) => event({ content }, null, { usage });
const named = { index: 0, id: 'x', function: { name: 'f', arguments: '' } };

test('a stream with usage and DONE is complete without a finish reason (Snowflake)', async () => {
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
  ['that sends only usage', [event({ content: 'Ha' }), counted]],
  ['that ends without usage', [event({ content: 'Ha' }), DONE]],
  ['that continues after its usage', [event({ content: 'Ha' }, null, { usage }), event({ content: 'lf' }), DONE]],
  ['that sends usage with each text', [counting('Ha'), counting('lf'), DONE]],
  [
    'that sends usage from its first chunk',
    [event({ role: 'assistant', content: '' }, null, { usage }), counting('Ha'), DONE],
  ],
  [
    'that sends usage with the name of a call',
    [counting('Hm.'), event({ tool_calls: [named] }, null, { usage }), DONE],
  ],
  ['that continues with a call after its usage', [counted, event({ tool_calls: [named] }), DONE]],
])('a stream without a finish reason %s was interrupted', async (_, body) => {
  await expect(ask({ body })).rejects.toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
});

test('an error object after the finish reason is still an error', async () => {
  const error = { error: { code: 502, message: 'Upstream broke' } };

  const asking = ask({ body: [event({ content: 'Hi.' }, 'stop'), `data: ${JSON.stringify(error)}\n\n`] });

  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable', provider: { status: 502 } });
});

test('an error object without an error field (vLLM) is read', async () => {
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
