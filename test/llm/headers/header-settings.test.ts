import { expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import { configureProviders } from '#core/llm/providers.ts';

const sim = { baseUrl: () => Promise.reject(new Error('the simulator was asked')) };
const KIND_FIELDS = {
  ...{ openai: {}, 'openai-responses': {}, anthropic: {}, gemini: {} },
  'ai-sdk': { base_url: undefined, module: 'm', export: 'e' },
};
const entry = (settings: object, kind: keyof typeof KIND_FIELDS = 'openai') => ({
  PAWL_PROVIDERS: JSON.stringify({ x: { kind, base_url: 'http://localhost:1/v1', ...KIND_FIELDS[kind], ...settings } }),
});
const problemOf = (env: Record<string, string>): Error => {
  try {
    configureProviders(env, sim);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the settings were accepted');
};

const owned = [
  ...['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'keep-alive', 'te', 'trailer'],
  ...['upgrade', 'expect', 'accept-encoding', 'proxy-authorization', 'Proxy-Connection', 'Host'],
];

test.each(owned)('neither an operator nor a turn can set the header %s', (name) => {
  const problem = 'the connection sets this header, leave it out';

  expect(problemOf(entry({ headers: { [name]: 'some-value' } })).message).toBe(
    `PAWL_PROVIDERS.x.headers.${name}: ${problem}`,
  );
  expect(problemOf(entry({ allowed_headers: ['openai-beta', name] })).message).toBe(
    `PAWL_PROVIDERS.x.allowed_headers.1: ${problem}`,
  );
});

const keys = [
  ...['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie', 'X-Gateway-Auth', 'cf-aig-authorization'],
  ...['x-amz-security-token', 'openai-organization', 'OpenAI-Project', 'x-goog-user-project', 'client-secret'],
];

test.each(keys)('an operator may set the header %s, but not allow turns to set it', (name) => {
  expect(() => configureProviders(entry({ headers: { [name]: 'some-value' } }), sim)).not.toThrow();
  expect(problemOf(entry({ allowed_headers: [name] })).message).toBe(
    'PAWL_PROVIDERS.x.allowed_headers.0: this header contains a key or names an account, set it in headers',
  );
});

test.each([
  [{ headers: { 'bad name': 'secret-value' } }, 'PAWL_PROVIDERS.x.headers.bad name: this is not a valid header name'],
  [{ headers: { '': 'secret-value' } }, 'PAWL_PROVIDERS.x.headers.: this is not a valid header name'],
  [{ headers: { 'x-a': 'secret-value\r\nx-b: 1' } }, 'PAWL_PROVIDERS.x.headers.x-a: use printable Latin-1'],
  [{ headers: { 'x-a': 'secret-value\t' } }, 'PAWL_PROVIDERS.x.headers.x-a: use printable Latin-1'],
  [{ headers: { 'x-a': 'secret-value €' } }, 'PAWL_PROVIDERS.x.headers.x-a: use printable Latin-1'],
  [{ headers: { 'x-a': 'secret-value\u0085' } }, 'PAWL_PROVIDERS.x.headers.x-a: use printable Latin-1'],
  [{ headers: { 'x-a': 7 } }, 'PAWL_PROVIDERS.x.headers.x-a: give the value as a text'],
  [{ headers: { 'x-a': 'secret-value', 'X-A': 'b' } }, 'PAWL_PROVIDERS.x.headers.X-A: this header is given twice'],
  [{ headers: ['secret-value'] }, 'PAWL_PROVIDERS.x.headers: give an object of headers, by their names'],
  [{ allowed_headers: 'openai-beta' }, 'PAWL_PROVIDERS.x.allowed_headers: give a list of header names'],
  [{ allowed_headers: [1] }, 'PAWL_PROVIDERS.x.allowed_headers.0: give the name as a text'],
  [{ allowed_headers: ['a b'] }, 'PAWL_PROVIDERS.x.allowed_headers.0: this is not a valid header name'],
  [{ allowed_headers: ['*'] }, 'PAWL_PROVIDERS.x.allowed_headers.0: this is not a valid header name'],
  [{ allowed_headers: ['x-accesskey'] }, 'PAWL_PROVIDERS.x.allowed_headers.0: this header contains a key'],
  [{ headers: { 'content-encoding': 'gzip' } }, 'PAWL_PROVIDERS.x.headers.content-encoding: the connection sets'],
])('an invalid header stops the start, without its value: %j', (settings, named) => {
  for (const kind of Object.keys(KIND_FIELDS) as (keyof typeof KIND_FIELDS)[]) {
    const problem = problemOf(entry(settings, kind));

    expect(problem).toBeInstanceOf(Misconfigured);
    expect(problem.message).toContain(named);
    expect(problem.message).not.toContain('secret-value');
  }
});

test('a built-in provider allows no headers', () => {
  const providers = configureProviders({ OPENAI_API_KEY: 'k' }, sim);

  expect(providers.find('openai').allowedHeaders ?? []).toEqual([]);
  expect(providers.find('sim').allowedHeaders ?? []).toEqual([]);
});
