import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configureProviders, loadProviderPackages, type Providers } from '#core/llm/providers.ts';
import { decideRetry } from '#core/turn/retry.ts';
import { createServer } from '#test/harness/servers/create-server.ts';
import { someRequest } from './provider-exam.ts';

const env = (origin: string) => ({
  OPENAI_API_KEY: 'top-secret',
  OPENAI_BASE_URL: origin.replace('//', '//user:password@'),
  ANTHROPIC_API_KEY: 'top-secret',
  ANTHROPIC_BASE_URL: origin,
  GEMINI_API_KEY: 'top-secret',
  GEMINI_BASE_URL: origin,
  PAWL_PROVIDERS: JSON.stringify({
    own: { kind: 'openai', base_url: `${origin}/v1`, api_key: 'top-secret' },
    responses: { kind: 'openai-responses', base_url: `${origin}/v1`, api_key: 'top-secret' },
    pack: {
      ...{ kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral' },
      options: { baseURL: `${origin}/v1`, apiKey: 'top-secret' },
    },
  }),
});
const NAMES = [
  ['openai', 'OPENAI_BASE_URL, which does not end in /v1'],
  ['anthropic', 'ANTHROPIC_BASE_URL'],
  ['gemini', 'GEMINI_BASE_URL'],
  ['own', 'PAWL_PROVIDERS.own.base_url'],
  ['responses', 'PAWL_PROVIDERS.responses.base_url'],
  ['pack', 'PAWL_PROVIDERS.pack.options'],
] as const;

const answer = { status: 200, type: 'text/html; charset=utf-8', body: '<html>Sign in</html>' };
const server = createServer((_, response) =>
  response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body),
);
let host = '';
let providers: Providers;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = env(`http://${host}`);
  const nowhere = { baseUrl: () => Promise.reject(new Error('no simulator')) };
  providers = configureProviders(settings, nowhere, await loadProviderPackages(settings));
});

afterAll(async () => {
  await providers.close();
  server.close();
});

async function failureOf(name: string) {
  const asking = providers.find(name).ask(someRequest, new AbortController().signal, () => {});
  const failure = await asking.catch((error) => error);
  expect(failure.message).not.toMatch(/top-secret|user:|password/);
  return failure;
}

const noPath = (name: string, urlName: string) =>
  `${name} has no endpoint at the requested path (404). Check ${urlName}, then the model's`;
const noResponses = (urlName: string, status: number) =>
  `The server of responses has no Responses API (${status}). Set "kind": "openai" in PAWL_PROVIDERS.responses, or check ${urlName}.`;

describe.each(NAMES)('a base URL of %s that leads elsewhere', (name, urlName) => {
  test('sends a page: the failure names its type and the variable, with one retry', async () => {
    Object.assign(answer, { status: 200, type: 'text/html; charset=utf-8', body: '<html>Sign in</html>' });

    const { code, message, retry } = await failureOf(name);

    const says = `${name} sent an unusable reply (it sent text/html). Check ${urlName}.`;
    expect([code, message]).toEqual(['provider_bad_response', says]);
    expect([0, 1].map((attempts) => decideRetry(retry, { attempts, waitedMs: 0 }).kind)).toEqual(['again', 'fail']);
  });

  test.each([
    ['text/html', '<html>404</html>'],
    ['application/json', '{"detail":"Not Found"}'],
    ['application/json', '{"error":{"message":"Invalid URL (POST /chat/completions)"}}'],
    ['text/plain', '404 page not found'],
  ])('lacks the path (%s, %s): the failure names the variable before the model', async (type, body) => {
    Object.assign(answer, { status: 404, type, body });

    const { code, message } = await failureOf(name);

    expect([code, message]).toEqual(
      name === 'responses'
        ? ['model_unsupported_feature', noResponses(urlName, 404)]
        : ['provider_model_not_found', expect.stringContaining(noPath(name, urlName))],
    );
  });

  test.each([302, 405])('answers %i: the failure names the variable', async (status) => {
    Object.assign(answer, { status, type: 'text/html', body: '<html></html>' });

    const said = (await failureOf(name)).message;

    if (name === 'responses' && status === 405) expect(said).toBe(noResponses(urlName, status));
    else expect(said).toContain(`Check ${urlName}.`);
  });

  test('has the path and not the model: the failure names the model first', async () => {
    Object.assign(answer, {
      status: 404,
      type: 'application/json',
      body: '{"error":{"message":"model: m not found"}}',
    });

    expect((await failureOf(name)).message).toContain(`${name} does not know the model "`);
  });
});

test.each(NAMES)(
  'the failure of an unreachable server of %s names its address and the variable',
  async (name, urlName) => {
    const free = createServer(() => {});
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const at = `127.0.0.1:${(free.address() as AddressInfo).port}`;
    await new Promise((resolve) => free.close(resolve));
    const settings = env(`http://${at}`);
    const away = configureProviders(settings, { baseUrl: async () => '' }, await loadProviderPackages(settings));

    const failure = await away
      .find(name)
      .ask(someRequest, new AbortController().signal, () => {})
      .catch((error) => error);
    await away.close();

    const says = `${name} could not be reached, or closed the connection (ECONNREFUSED at ${at}). Check ${urlName}.`;
    expect([failure.code, failure.message]).toEqual(['provider_unavailable', says]);
  },
);
