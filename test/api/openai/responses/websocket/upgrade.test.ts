import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import { RESPONSE_BASES } from '#services/api/http/response-base.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openSocket, refusedUpgrade, responseOf } from './open-socket.ts';

const none = 'resp_01kagz8m4pfvbte2n5q7rys3wx';
const keys = { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' };
const upgrading = { connection: 'upgrade', upgrade: 'websocket' };
const handshake = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };

/** Sends a GET with headers that `fetch` reserves, and returns its HTTP answer. */
async function get(url: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  const asked = request(url, { agent: false, headers });
  asked.on('response', (answer) => {
    json(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
  });
  asked.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('The server upgraded the connection.'));
  });
  asked.on('error', reject);
  asked.end();
  return promise;
}

test.each(RESPONSE_BASES)('a WebSocket under %s serves responses of its key’s project', async (base) => {
  await using harness = await createHarness({ env: keys });
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness, { base, key: 'key-a' });

  const { id, status } = responseOf(await socket.ask({ input: scripted({ answer: 'Hello.' }) }));

  expect(status).toBe('completed');
  const statusFor = async (key: string) =>
    (await apiClient(harness.url, key).call('GET', `${base}/responses/${id}`)).status;
  expect([await statusFor('key-a'), await statusFor('key-b')]).toEqual([200, 404]);
});

test.each(RESPONSE_BASES)('an upgrade under %s without a valid key is answered with 401', async (base) => {
  await using harness = await createHarness({ env: keys });
  const wrong = await apiClient(harness.url, 'key-x').call('GET', `${base}/responses/${none}`);
  const missing = await harness.call('GET', `${base}/responses/${none}`);

  const answers = [await refusedUpgrade(harness, { base, key: 'key-x' }), await refusedUpgrade(harness, { base })];

  expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
    { status: 401, body: wrong.body },
    { status: 401, body: missing.body },
  ]);
  for (const { headers } of answers) {
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['x-should-retry']).toBe('false');
  }
});

test.each(RESPONSE_BASES)('a GET of responses under %s without an upgrade is answered with 426', async (base) => {
  await using harness = await createHarness();

  const { status, headers, body } = await harness.call<{ error: Record<string, unknown> }>('GET', `${base}/responses`);

  expect(status).toBe(426);
  expect(body.error).toMatchObject({ type: 'invalid_request_error', code: 'upgrade_required', param: null });
  expect(body.error.message).toContain('GET /v1/turns');
  expect(headers.get('upgrade')).toBe('websocket');
  expect(headers.get('x-should-retry')).toBe('false');
  expect(headers.get('x-request-id')).toMatch(/^req_/);
});

test('a GET of responses without a key is answered with 401 before 426', async () => {
  await using harness = await createHarness({ env: keys });

  expect((await harness.call('GET', '/v1/responses')).status).toBe(401);
});

test('an upgrade from a page of another origin is refused, with and without keys', async () => {
  await using keyed = await createHarness({ env: keys });
  await using open = await createHarness();
  const headers = { origin: 'https://evil.example' };

  const answers = [await refusedUpgrade(keyed, { key: 'key-a', headers }), await refusedUpgrade(open, { headers })];

  for (const { status, body } of answers) {
    expect([status, body.error.code]).toEqual([403, 'origin_not_allowed']);
  }
});

test('an upgrade for a foreign host name is refused if the API has no keys', async ({ harness }) => {
  const { status, body } = await refusedUpgrade(harness, { headers: { host: 'evil.example' } });

  expect([status, body.error.code]).toEqual([403, 'host_not_allowed']);
});

test('a key with only the scope read cannot create a response', async () => {
  const projects = { alpha: { keys: [{ key: 'key-reads', scopes: ['read'] }] } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  await using socket = await openSocket(harness, { key: 'key-reads' });

  const error = await socket.refused({ type: 'response.create', model: 'test', input: 'Hi' });

  expect(error).toMatchObject({ status: 403, error: { code: 'insufficient_scope' } });
});

test.for(['/responses/', `/responses/${none}`, '/turns/turn_x', '/nothing'])(
  'an upgrade of the unknown path %s is answered with 404',
  async (path, { harness }) => {
    const { status, body } = await refusedUpgrade(harness, { path });

    expect([status, body]).toEqual([404, { error: expect.objectContaining({ message: expect.any(String) }) }]);
  },
);

test('a request to upgrade to another protocol is answered like a plain request', async ({ harness }) => {
  const h2c = { connection: 'upgrade', upgrade: 'h2c' };

  expect(await get(`${harness.url}/v1/responses`, h2c)).toMatchObject({ status: 426 });
  expect(await get(`${harness.url}/v1/turns`, h2c)).toMatchObject({ status: 200, body: { object: 'list' } });
});

test('an upgrade with an invalid WebSocket handshake is refused in the envelope', async ({ harness }) => {
  const url = `${harness.url}/v1/responses`;

  for (const headers of [
    upgrading,
    { ...upgrading, ...handshake, 'sec-websocket-version': '8' },
    { ...upgrading, ...handshake, 'sec-websocket-key': 'short' },
  ]) {
    const { status, body } = await get(url, headers);
    expect.soft([400, 426]).toContain(status);
    expect.soft(body).toMatchObject({ error: { type: 'invalid_request_error', code: expect.any(String) } });
  }
});

test('a connection with an Idempotency-Key creates a new response for each request', async ({ harness, worker: _ }) => {
  const headers = { 'idempotency-key': 'once' };
  await using one = await openSocket(harness, { headers });
  await using other = await openSocket(harness, { headers });
  const input = scripted({ answer: 'Hello.' });

  const ids = [await one.ask({ input }), await one.ask({ input }), await other.ask({ input })].map(
    (messages) => responseOf(messages).id,
  );

  expect(new Set(ids).size).toBe(3);
  expect(harness.modelRequests).toHaveLength(3);
});
