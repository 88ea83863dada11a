import { expect, test } from 'vitest';
import { Misconfigured, RequestRefused } from '#core/failure.ts';
import { readExtraProviders } from '#core/llm/make/provider-config.ts';
import { configureProviders } from '#core/llm/providers.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const sim = { baseUrl: async () => 'http://127.0.0.1:1/v1' };
const namesOf = (env: Record<string, string>) => configureProviders(env, sim).names;
const local = (base_url: unknown) => JSON.stringify({ lmstudio: { kind: 'openai', base_url } });

const wrong = (fields: object) => ({
  PAWL_PROVIDERS: JSON.stringify({ a: { kind: 'openai', base_url: 'http://x/v1', ...fields } }),
});

test('only the simulator is configured if no provider has a key', () => {
  expect(namesOf({})).toEqual(['sim', 'sim-responses']);
  expect(
    namesOf({ OPENAI_BASE_URL: 'http://localhost:1/v1', XAI_BASE_URL: 'http://x/v1', OPENAI_API_KEY: ' ' }),
  ).toEqual(['sim', 'sim-responses']);
});

test('keys, an ollama URL and PAWL_PROVIDERS add providers', () => {
  const env = {
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    XAI_API_KEY: 'k',
    OLLAMA_BASE_URL: 'http://localhost:11434/v1',
    PAWL_PROVIDERS: local('http://localhost:1234/v1'),
  };

  expect(namesOf(env)).toEqual(['openai', 'anthropic', 'xai', 'ollama', 'sim', 'sim-responses', 'lmstudio']);
});

test('a provider that is not configured is refused with the setting to add', () => {
  const providers = configureProviders({}, sim);

  expect(providers.has('xai')).toBe(false);
  expect(() => providers.find('xai')).toThrow(RequestRefused);
  expect(() => providers.find('xai')).toThrow(
    expect.objectContaining({
      status: 400,
      code: 'provider_not_configured',
      param: 'model',
      message: expect.stringContaining('XAI_API_KEY'),
    }),
  );
  expect(() => providers.find('acme')).toThrow('PAWL_PROVIDERS');
});

test.each([
  [{ PAWL_PROVIDERS: 'no json' }, 'PAWL_PROVIDERS: this is not valid JSON'],
  [{ PAWL_PROVIDERS: local('secret-place') }, 'PAWL_PROVIDERS.lmstudio.base_url: give an http or https URL'],
  [{ PAWL_PROVIDERS: '{"openai":{"kind":"openai","base_url":"http://x/v1"}}' }, 'PAWL_PROVIDERS.openai'],
  [{ PAWL_PROVIDERS: '{"gemini":{"kind":"openai","base_url":"http://x/v1"}}' }, 'PAWL_PROVIDERS.gemini'],
  [{ PAWL_PROVIDERS: '{"a/b":{"kind":"openai","base_url":"http://x/v1"}}' }, 'PAWL_PROVIDERS.a/b'],
  [{ PAWL_PROVIDERS: '{"a":{"kind":"other","base_url":"http://x/v1"}}' }, 'PAWL_PROVIDERS.a.kind'],
  [{ PAWL_PROVIDERS: '{"a":{"kind":"openai","base_url":"http://x/v1","apikey":"k"}}' }, 'PAWL_PROVIDERS.a'],
  [wrong({ max_tokens_field: 'n_predict' }), 'PAWL_PROVIDERS.a.max_tokens_field: give max_tokens or'],
  [wrong({ stream_options: 'no' }), 'PAWL_PROVIDERS.a.stream_options: give true or false'],
  [wrong({ prompt_cache: 'yes' }), 'PAWL_PROVIDERS.a.prompt_cache: give true or false'],
  [wrong({ roles: 'strict' }), 'PAWL_PROVIDERS.a.roles: give one of any, system-first, alternate, user-only'],
  [wrong({ finish_reasons: { sensitive: 'filter' } }), 'PAWL_PROVIDERS.a.finish_reasons.sensitive: give one of stop'],
  [wrong({ finish_reasons: ['eos'] }), 'PAWL_PROVIDERS.a.finish_reasons: give an object'],
  [wrong({ kind: 'gemini', roles: 'alternate' }), 'PAWL_PROVIDERS.a'],
  [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:1' }, 'OPENAI_BASE_URL'],
  [{ OPENAI_WIRE: 'x' }, 'OPENAI_WIRE: give responses or chat'],
  [{ XAI_API_KEY: 'k', XAI_WIRE: 'Chat' }, 'XAI_WIRE: give responses or chat'],
  [wrong({ kind: 'openai-responses', max_tokens_field: 'max_tokens' }), 'PAWL_PROVIDERS.a'],
  [{ PAWL_MODEL_TIMEOUT_MS: '10s' }, 'PAWL_MODEL_TIMEOUT_MS'],
  [{ PAWL_MODEL_IDLE_TIMEOUT_MS: '0' }, 'PAWL_MODEL_IDLE_TIMEOUT_MS'],
  [{ PAWL_MODEL_TIMEOUT_LIMIT_MS: '1h' }, 'PAWL_MODEL_TIMEOUT_LIMIT_MS: give milliseconds'],
])('an invalid setting stops the start with its name: %j', (env, named) => {
  expect(() => configureProviders(env, sim)).toThrow(Misconfigured);
  expect(() => configureProviders(env, sim)).toThrow(named);
});

test('the simulator starts at its first call', async () => {
  await using server = await startWireServer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  let started = 0;
  const baseUrl = async () => {
    started += 1;
    return `${server.origin}/v1`;
  };
  const providers = configureProviders({}, { baseUrl });

  expect(started).toBe(0);
  const reply = await providers.find('sim').ask(someRequest, new AbortController().signal, () => undefined);
  await providers.close();

  expect(reply.text).toBe('Hi.');
  expect(server.asked[0]).toMatchObject({ path: '/v1/chat/completions' });
});

test('openai and compatible servers get their own key and token limit field', async () => {
  await using server = await startWireServer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  const extra = { lmstudio: { kind: 'openai', base_url: `${server.origin}/v1`, api_key: 'other\n' } };
  const env = { OPENAI_API_KEY: 'mine', OPENAI_BASE_URL: `${server.origin}/v1`, PAWL_PROVIDERS: JSON.stringify(extra) };
  const providers = configureProviders(env, sim);

  for (const name of ['openai', 'lmstudio']) {
    const request = { ...someRequest, maxOutputTokens: 9 };
    await providers.find(name).ask(request, new AbortController().signal, () => undefined);
  }
  await providers.close();

  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer mine', 'Bearer other']);
  expect(server.asked[0]!.body).toMatchObject({ max_completion_tokens: 9 });
  expect(server.asked[1]!.body).toMatchObject({ max_tokens: 9 });
});

test('anthropic and servers of its kind use the Messages wire with their own key', async () => {
  await using server = await startWireServer({ body: anthropicWire.reply({ text: ['Hi.'] }) });
  const extra = { gateway: { kind: 'anthropic', base_url: `${server.origin}/anthropic`, api_key: 'other' } };
  const env = { ANTHROPIC_API_KEY: 'mine', ANTHROPIC_BASE_URL: server.origin, PAWL_PROVIDERS: JSON.stringify(extra) };
  const providers = configureProviders(env, sim);

  for (const name of ['anthropic', 'gateway']) {
    await providers.find(name).ask(someRequest, new AbortController().signal, () => undefined);
  }
  await providers.close();

  expect(server.asked.map(({ path }) => path)).toEqual(['/v1/messages', '/anthropic/v1/messages']);
  expect(server.asked.map(({ headers }) => headers['x-api-key'])).toEqual(['mine', 'other']);
  expect(providers.list().map(({ name, wire }) => [name, wire])).toContainEqual(['gateway', 'anthropic']);
});

test('custom headers reach all Anthropic servers, Authorization only with a key', async () => {
  await using server = await startWireServer({ body: anthropicWire.reply({ text: ['Hi.'] }) });
  const env = {
    ANTHROPIC_API_KEY: 'mine',
    ANTHROPIC_BASE_URL: server.origin,
    ANTHROPIC_CUSTOM_HEADERS: 'X-Team: a:b\nAuthorization: Bearer own\nX-Api-Key: other\nnonsense',
    PAWL_PROVIDERS: JSON.stringify({ bare: { kind: 'anthropic', base_url: server.origin } }),
  };
  const providers = configureProviders(env, sim);

  for (const name of ['anthropic', 'bare']) {
    await providers.find(name).ask(someRequest, new AbortController().signal, () => undefined);
  }
  await providers.close();

  const [keyed, bare] = server.asked.map(({ headers }) => headers);
  expect(keyed).toMatchObject({ 'x-team': 'a:b', authorization: 'Bearer own', 'x-api-key': 'mine' });
  expect(bare).toMatchObject({ 'x-team': 'a:b' });
  expect(bare).not.toHaveProperty('authorization');
});

test('the API version of Gemini can be set', async () => {
  await using server = await startWireServer();
  const env = { GEMINI_API_KEY: 'k', GEMINI_BASE_URL: server.origin, GOOGLE_GENAI_API_VERSION: 'v1beta' };
  const providers = configureProviders(env, sim);

  await providers
    .find('gemini')
    .ask(someRequest, new AbortController().signal, () => undefined)
    .catch(() => undefined);
  await providers.close();

  expect(server.asked[0]!.path).toBe('/v1beta/models/some-model:streamGenerateContent?alt=sse');
});

test('PAWL_MODEL_IDLE_TIMEOUT_MS ends a request to a silent provider', async () => {
  await using server = await startWireServer({ ending: 'drip' });
  const env = { OLLAMA_BASE_URL: `${server.origin}/v1`, PAWL_MODEL_IDLE_TIMEOUT_MS: '40' };

  const asking = configureProviders(env, sim)
    .find('ollama')
    .ask(someRequest, new AbortController().signal, () => undefined);

  await expect(asking).rejects.toMatchObject({ code: 'provider_timeout' });
});

const HOSTED = ['web_search', 'code_execution', 'file_search', 'image_generation'];

test('each provider lists its capabilities', () => {
  const calls = { tools: true, parallel_tool_calls: true, thinking: true, structured_outputs: true };
  const can = { ...calls, background: false, batch: true };

  expect(configureProviders({}, sim).list()).toEqual([
    { name: 'sim', wire: 'openai', streaming: true, ...can, hosted_tools: [] },
    { name: 'sim-responses', wire: 'openai-responses', streaming: true, ...can, hosted_tools: HOSTED },
  ]);
});

test('a model name is split at the first slash', () => {
  expect(splitModel('openrouter/meta/llama-3:free')).toEqual({ provider: 'openrouter', model: 'meta/llama-3:free' });
  expect(() => splitModel('gpt-4.1')).toThrow(RequestRefused);
  expect(() => splitModel('openai/')).toThrow(RequestRefused);
});

test('a server may be configured without structured outputs', () => {
  const plain = { kind: 'openai', base_url: 'http://localhost:1/v1', structured_outputs: false };

  const { capabilities } = configureProviders({ PAWL_PROVIDERS: JSON.stringify({ plain }) }, sim).find('plain');

  expect(capabilities).toMatchObject({ tools: true, structured_outputs: false });
});

test('the settings of a server change its requests', async () => {
  await using server = await startWireServer({ body: openaiWire.reply({ text: ['Hi.'] }) });
  const quirks = { max_tokens_field: 'max_completion_tokens', stream_options: false, roles: 'user-only' };
  const azure = { kind: 'openai', base_url: `${server.origin}/v1`, ...quirks, finish_reasons: { Sensitive: 'length' } };
  const providers = configureProviders({ PAWL_PROVIDERS: JSON.stringify({ azure }) }, sim);

  const request = { ...someRequest, maxOutputTokens: 9 };
  await providers.find('azure').ask(request, new AbortController().signal, () => undefined);
  await providers.close();

  expect(server.asked[0]!.body).toEqual({
    model: 'some-model',
    messages: [{ role: 'user', content: 'Be brief.\n\nHi' }],
    max_completion_tokens: 9,
    stream: true,
  });
});

test.each(['openai', 'openai-responses', 'anthropic', 'gemini'])(
  'finish_reasons can be set for a server of kind %s',
  (kind) => {
    const taught = {
      kind,
      base_url: 'http://localhost:1',
      finish_reasons: { Sensitive: 'content_filter', EOS: 'stop' },
    };

    const config = readExtraProviders({ PAWL_PROVIDERS: JSON.stringify({ taught }) }, []).taught;

    expect(config).toMatchObject({
      finish_reasons: new Map([
        ['sensitive', 'content_filter'],
        ['eos', 'stop'],
      ]),
    });
  },
);

test('no provider can have the name of agents', () => {
  const given = { PAWL_PROVIDERS: JSON.stringify({ agent: { kind: 'openai', base_url: 'http://x/v1' } }) };

  expect(() => namesOf(given)).toThrow('PAWL_PROVIDERS.agent: this name is reserved for agents');
});
