import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeRefusal } from '../refusals.ts';

let keyless: Harness;
let keyed: Harness;
beforeAll(async () => {
  keyless = await createHarness();
  keyed = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });
});
afterAll(async () => {
  await keyless[Symbol.asyncDispose]();
  await keyed[Symbol.asyncDispose]();
});

test.each(['localhost', 'localhost:8080', 'LOCALHOST', '127.0.0.1:1', '127.8.9.1', '[::1]', '[::1]:8080'])(
  'an API without keys serves the host %s',
  async (host) => {
    expect(await ask(keyless, 'GET', '/v1/webhook_secret', { host })).toBe('200 accepted');
  },
);

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example:8080',
  '10.0.0.1',
  '[::2]',
  '0.0.0.0',
  'a',
])('an API without keys refuses the host %s, which may resolve to it', async (host) => {
  for (const path of ['/v1/webhook_secret', '/metrics', '/', '/openapi.json'])
    expect(await ask(keyless, 'GET', path, { host })).toBe('403 host_not_allowed: Host');
  expect(await ask(keyless, 'POST', '/v1/turns', { host })).toBe('403 host_not_allowed: Host');
});

test('an API with keys serves every host', async () => {
  expect(await ask(keyed, 'GET', '/v1/turns', { host: 'pawl.example', ...KEY })).toBe('200 accepted');
});

const KEY = { authorization: 'Bearer key-of-alpha' };

test.each([
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost:3000' },
  { origin: 'file://' },
  { origin: 'https://localhost:8080.evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
])('a page of another origin can neither change nor read a turn: %j', async (headers) => {
  const { id } = await keyless.startTurn({ input: 'Hi' });
  const from = { host: 'localhost:8080', ...headers };

  expect(await ask(keyless, 'POST', `/v1/turns/${id}/cancel`, from)).toBe('403 origin_not_allowed: Origin');
  expect(await ask(keyless, 'GET', `/v1/turns/${id}`, from)).toBe('403 origin_not_allowed: Origin');
  expect(await ask(keyed, 'GET', '/v1/turns', { ...from, ...KEY })).toBe('403 origin_not_allowed: Origin');
  expect((await keyless.findTurn(id)).status).toBe('queued');
});

test.each([
  {},
  { origin: 'http://localhost:8080' },
  { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
  { 'sec-fetch-mode': 'cors' },
])('a page of Pawl, a same-origin proxy and other clients are served: %j', async (headers) => {
  const { id } = await keyless.startTurn({ input: 'Hi' });
  const from = { host: 'localhost:8080', ...headers };

  expect(await ask(keyless, 'GET', `/v1/turns/${id}`, from)).toBe('200 accepted');
  expect(await ask(keyless, 'POST', `/v1/turns/${id}/cancel`, from)).toBe('200 accepted');
});

test('a page is served if a proxy terminates TLS', async () => {
  const from = { host: 'pawl.example', origin: 'https://pawl.example', ...KEY };

  expect(await ask(keyed, 'GET', '/v1/turns', from)).toBe('200 accepted');
});

test.each([
  { host: 'pawl.example', origin: 'http://pawl.example:8080' },
  { host: 'pawl:8080', origin: 'https://pawl.example' },
])('a refused origin gets advice if the proxy dropped the Host header: %j', async (from) => {
  const answer = await send(keyed, 'POST', '/v1/turns', { ...from, ...KEY });

  expect(describeRefusal(answer)).toBe('403 origin_not_allowed: Origin');
  expect(answer.body).toMatchObject({
    error: { message: expect.stringMatching(/proxy .* Host .* including the port/) },
  });
});

test('a link on a page of another origin may open a page of Pawl', async () => {
  const from = { host: 'localhost:8080', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };

  expect(await ask(keyless, 'GET', '/openapi.json', from)).toBe('200 accepted');
});

/** Sends a request with headers that `fetch` reserves. */
async function ask(harness: Harness, method: string, path: string, headers: Record<string, string>): Promise<string> {
  return describeRefusal(await send(harness, method, path, headers));
}

async function send({ url }: Harness, method: string, path: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>();
  const asking = request(url + path, { method, headers, agent: false }, async (response) => {
    const { statusCode: status = 0 } = response;
    const received = new Headers(response.headers as Record<string, string>);
    resolve({ status, headers: received, body: await json(response) });
  });
  asking.on('error', reject);
  asking.end();
  return promise;
}
