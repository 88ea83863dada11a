import { expect, test } from 'vitest';
import { configureProviders } from '#core/llm/providers.ts';

const sim = { baseUrl: async () => 'http://127.0.0.1:1/v1' };

const keys = {
  ...{ OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-anthropic', GEMINI_API_KEY: 'sk-gemini' },
  ...{ XAI_API_KEY: 'sk-xai', OLLAMA_BASE_URL: 'http://localhost:11434/v1' },
};

/** Returns whether each configured provider has a batch API, by its name. */
function batchesIn(env: Record<string, string>): Record<string, boolean> {
  const { names, find } = configureProviders(env, sim);
  return Object.fromEntries(names.map((name) => [name, find(name).batches !== undefined]));
}

test('OpenAI, Anthropic, Gemini and the simulator have a batch API', () => {
  expect(batchesIn(keys)).toEqual({
    ...{ openai: true, anthropic: true, gemini: true, sim: true, 'sim-responses': true },
    ...{ xai: false, ollama: false },
  });
});

test('a provider in PAWL_PROVIDERS has a batch API unless its setting is false', () => {
  const config = (kind: string, more: object = {}) => ({ kind, base_url: 'http://localhost:1/v1', ...more });
  const kinds = ['openai', 'openai-responses', 'anthropic', 'gemini'];
  const providers = Object.fromEntries(
    kinds.flatMap((kind) => [
      [`my-${kind}`, config(kind)],
      [`no-${kind}`, config(kind, { batch: false })],
    ]),
  );

  const batches = batchesIn({ PAWL_PROVIDERS: JSON.stringify(providers) });

  for (const kind of kinds) expect(batches).toMatchObject({ [`my-${kind}`]: true, [`no-${kind}`]: false });
});

test('a batch setting other than true or false is refused by its path', () => {
  const own = { kind: 'openai', base_url: 'http://localhost:1/v1', batch: 'no' };
  const env = { PAWL_PROVIDERS: JSON.stringify({ own }) };

  expect(() => configureProviders(env, sim)).toThrow('PAWL_PROVIDERS.own.batch: give true or false');
});

test('both wires of OpenAI send their batches from one account', () => {
  const { ofModel } = configureProviders(keys, sim);

  const chat = ofModel('openai/gpt-5.6').batches;
  const responses = ofModel('openai/gpt-5.6', { openai: 'openai-responses' }).batches;

  expect(responses?.account).toBe(chat?.account);
  const endpointOf = (batches = chat) => JSON.parse(Buffer.from(batches!.lineOf(line)).toString()).url;
  const line = { id: 'req_1', body: {} };
  expect(endpointOf(chat)).toBe('/v1/chat/completions');
  expect(endpointOf(responses)).toBe('/v1/responses');
});

test('the simulator keeps its batch account after a restart', () => {
  const accountAt = (port: number) =>
    configureProviders({}, { baseUrl: async () => `http://127.0.0.1:${port}/v1` }).find('sim').batches?.account;

  expect(accountAt(1)).toBe(accountAt(2));
});
