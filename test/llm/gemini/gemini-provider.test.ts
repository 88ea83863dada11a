import { expect, test, vi } from 'vitest';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { configureProviders } from '#core/llm/providers.ts';
import { geminiEvent, geminiWire, partsEvent } from '#test/llm/gemini-wire.ts';
import { httpExam, KEY } from '#test/llm/http-exam.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const signal = new AbortController().signal;
const { post } = makeHttpClient();
const make = (origin: string, more: object = {}) =>
  geminiProvider({ name: 'gemini', apiKey: KEY, baseUrl: origin, post, ...more });

providerExam('gemini', (origin) => make(origin), geminiWire);
httpExam('gemini', make, {
  wire: geminiWire,
  path: /^\/v1\/models\/some-model:streamGenerateContent\?alt=sse$/,
  keyHeaders: { 'x-goog-api-key': KEY },
  body: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: {},
  },
});

async function ask(answer: Answer, change: object = {}) {
  await using server = await startWireServer(answer);
  const reply = await make(server.origin).ask({ ...someRequest, ...change }, signal, () => undefined);
  return { reply, asked: server.asked };
}

const json = { 'content-type': 'application/json; charset=UTF-8' };
const hi = [partsEvent([{ text: 'Hi.' }], { finishReason: 'STOP' })];

test("gemini: key and address are read from Pawl's settings only", async () => {
  await using server = await startWireServer({ body: hi });
  vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
  vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'http://127.0.0.1:1');
  vi.stubEnv('GOOGLE_API_KEY', 'another');
  const env = { GEMINI_API_KEY: KEY, GEMINI_BASE_URL: `${server.origin}/` };
  const providers = configureProviders(env, { baseUrl: async () => '' });

  const reply = await providers.find('gemini').ask(someRequest, signal, () => undefined);
  await providers.close();
  vi.unstubAllEnvs();

  expect(reply.text).toBe('Hi.');
  expect(server.asked[0]).toMatchObject({ headers: { 'x-goog-api-key': KEY } });
  expect(server.asked[0]!.path).toMatch(/^\/v1\w*\/models\//);
  expect(providers.list()).toContainEqual(expect.objectContaining({ name: 'gemini', wire: 'gemini', tools: true }));
});

test('gemini: a stream that breaks off is requested once', async () => {
  await using server = await startWireServer({ body: [partsEvent([{ text: 'Half' }])], ending: 'cut' });

  const asking = make(server.origin).ask(someRequest, signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(server.asked).toHaveLength(1);
});

test.each([
  ['an error event', geminiWire.errorEvent, 'provider_overloaded'],
  ['an invalid chunk', [geminiEvent({ candidates: 'x' })], 'provider_bad_response'],
])('gemini: a stream abandoned at %s is closed', async (_, body, code) => {
  await using server = await startWireServer({ body, ending: 'hang' });

  const asking = make(server.origin).ask(someRequest, signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code });
  await server.left;
});

test('gemini: a reply with CONTINUATION is truncated, and not requested again', async () => {
  const more = { finishReason: 'CONTINUATION', continuationToken: 'dG9rZW4=' };

  const { reply, asked } = await ask({ body: [partsEvent([{ text: 'Half' }], more)] });

  expect(asked).toHaveLength(1);
  expect(reply).toMatchObject({ text: 'Half', finishReason: 'length', finishReasonRaw: 'CONTINUATION' });
});

test('gemini: provider options override the body or its generationConfig', async () => {
  const providerOptions = {
    thinkingConfig: { thinkingBudget: 0 },
    temperature: 0.5,
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    generationConfig: { topK: 3 },
  };

  const { asked } = await ask({ body: hi }, { temperature: 1, maxOutputTokens: 9, providerOptions });

  expect(asked[0]!.body).toMatchObject({
    safetySettings: providerOptions.safetySettings,
    generationConfig: { temperature: 0.5, maxOutputTokens: 9, topK: 3, thinkingConfig: { thinkingBudget: 0 } },
  });
});

test('gemini: provider options cannot send the key to another server', async () => {
  await using thief = await startWireServer({ body: hi });
  const httpOptions = { baseUrl: thief.origin, headers: { 'x-goog-api-key': 'other' } };

  const { asked } = await ask({ body: hi }, { providerOptions: { httpOptions, baseUrl: thief.origin } });

  expect(thief.asked).toHaveLength(0);
  expect(asked[0]!.headers['x-goog-api-key']).toBe(KEY);
});

test.each(['../files', 'a%2e%2e/b', 'x?key=1', 'x#y', 'a b', ''])(
  'gemini: the invalid model name %j is not sent',
  async (model) => {
    await using server = await startWireServer();

    const asking = make(server.origin).ask({ ...someRequest, model }, signal, () => undefined);

    await expect(asking).rejects.toMatchObject({ code: 'provider_model_not_found', retry: { kind: 'never' } });
    expect(server.asked).toHaveLength(0);
  },
);

const chunk = (text: string, more: object = {}) => ({ candidates: [{ content: { parts: [{ text }] }, ...more }] });

test('gemini: a JSON array and a whole reply are read like a stream', async () => {
  const array = await ask({
    headers: json,
    body: [JSON.stringify([chunk('H'), chunk('i.', { finishReason: 'STOP' })], null, 2)],
  });
  const whole = await ask({ headers: json, body: [JSON.stringify(chunk('Hi.', { finishReason: 'STOP' }))] });

  expect(array.reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
  expect(whole.reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

test('gemini: comments, other fields and a missing last blank line are ignored', async () => {
  const [event] = hi;
  const noisy = `: ping\nevent: message\nid: 7\n${event!.trimEnd()}`;

  const { reply } = await ask({ body: [noisy] });

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

test.each([
  ['broken JSON sent whole', { headers: json, body: ['{"candidates":['] }],
  ['an invalid part', { body: [geminiEvent({ candidates: [{ content: { parts: 'x' } }] })] }],
])('gemini: %s is a bad response', async (_, answer) => {
  await expect(ask(answer)).rejects.toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
});

test('gemini: an error object in a stream fails the attempt, even without a code', async () => {
  const asking = (error: object) => ask({ body: [...hi, geminiEvent({ error })] });

  await expect(asking({ code: 429, message: 'Slow down' })).rejects.toMatchObject({ code: 'provider_rate_limited' });
  await expect(asking({ status: 'INVALID_ARGUMENT' })).rejects.toMatchObject({ code: 'provider_invalid_request' });
  await expect(asking({ message: 'Hm' })).rejects.toMatchObject({ code: 'provider_unavailable' });
});

test('gemini: hosted calls stream before the reply ends', async () => {
  const ran = [
    partsEvent([{ executableCode: { language: 'PYTHON', code: '1' } }]),
    partsEvent([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }]),
  ];
  await using server = await startWireServer({ body: ran, ending: 'hang' });
  const states: string[] = [];
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const stop = new AbortController();

  const asking = make(server.origin).ask(someRequest, stop.signal, (delta) => {
    if (delta.kind === 'hosted-call' && states.push(delta.call.status) === 2) resolve();
  });
  await seen;
  stop.abort(new Error('seen'));

  await expect(asking).rejects.toThrow('seen');
  expect(states).toEqual(['in_progress', 'completed']);
});

test('gemini: refused hosted tools beside functions are an unsupported feature', async () => {
  const message = 'Tool call context circulation is not enabled for models/gemini-2.5-flash';
  const error = { code: 400, message, status: 'INVALID_ARGUMENT' };

  const asking = ask({ status: 400, headers: json, body: [JSON.stringify({ error })] });

  await expect(asking).rejects.toMatchObject({ code: 'model_unsupported_feature', retry: { kind: 'never' } });
  await expect(asking).rejects.toThrow('Leave out the hosted tools or the functions, or choose another model.');
});
