import { expect } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint, type Endpoint, findEndpoint, verified } from '#test/harness/webhook-endpoint.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

const url = 'https://example.com/hook';
const five = ['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled', 'turn.requires_action'];

test('an endpoint is created with all defaults and shows its secret', async ({ harness }) => {
  const { status, headers, body } = await harness.call<Endpoint>('POST', '/v1/webhook_endpoints', { body: { url } });

  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/webhook_endpoints/${body.id}`);
  expect(body).toEqual({
    ...{ id: expect.stringMatching(/^whe_[0-9a-z]{26}$/), object: 'webhook_endpoint', url, description: null },
    ...{ events: five, include: [], status: 'enabled', disabled_reason: null, failing_since: null },
    ...{ created_at: expect.stringMatching(/Z$/), secrets: [expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)] },
  });
});

test('an endpoint shows its secret at /secret only, not in reads and lists', async ({ harness }) => {
  const { secrets, ...endpoint } = await createEndpoint(harness, url, { description: 'Ours', include: ['turn'] });

  const read = await harness.call('GET', `/v1/webhook_endpoints/${endpoint.id}`);
  const listed = await harness.call('GET', '/v1/webhook_endpoints');
  const shown = await harness.call('GET', `/v1/webhook_endpoints/${endpoint.id}/secret`);

  expect(endpoint).toMatchObject({ description: 'Ours', include: ['turn'] });
  expect(read.body).toEqual(endpoint);
  expect(listed.body).toEqual({ object: 'list', data: [endpoint], has_more: false, next_cursor: null });
  expect(shown.body).toEqual({ secrets });
});

test('each endpoint has its own secret, different from the secret of its project', async ({ harness }) => {
  const one = await createEndpoint(harness, url);
  const other = await createEndpoint(harness, url);
  const { body } = await harness.call<{ secrets: string[] }>('GET', '/v1/webhook_secret');

  expect(new Set([...one.secrets, ...other.secrets, ...body.secrets]).size).toBe(3);
});

test('endpoints are listed newest first, each once across all pages', async ({ harness }) => {
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) ids.unshift((await createEndpoint(harness, url)).id);
  type Page = { data: Endpoint[]; next_cursor: string | null };
  const page = async (query: string) => (await harness.call<Page>('GET', `/v1/webhook_endpoints?${query}`)).body;

  const first = await page('limit=3');
  const second = await page(`limit=3&cursor=${first.next_cursor}`);

  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect(second.next_cursor).toBeNull();
  expect(describeRefusal(await harness.call('GET', '/v1/webhook_endpoints?cursor=turn_x'))).toBe(
    '400 invalid_value: cursor',
  );
});

test('a change of an endpoint keeps absent fields, and resets fields with null', async ({ harness }) => {
  const { id } = await createEndpoint(harness, url, {
    description: 'Ours',
    events: ['turn.failed'],
    include: ['turn'],
  });
  const change = async (body: object) => (await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body })).body;

  const moved = await change({ url: 'https://example.org/', description: 'Theirs\u0000' });
  const reset = await change({ description: null, events: null, include: null });
  const same = await change({});

  expect(moved).toMatchObject({ url: 'https://example.org/', description: 'Theirs\uFFFD', events: ['turn.failed'] });
  expect(moved).toMatchObject({ include: ['turn'], status: 'enabled' });
  expect(reset).toMatchObject({ url: 'https://example.org/', description: null, events: five, include: [] });
  expect(same).toEqual(reset);
});

test('an endpoint can be disabled and enabled', async ({ harness }) => {
  const { id } = await createEndpoint(harness, url);
  const set = async (status: string) =>
    (await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status } })).body;

  const disabled = await set('disabled');
  const enabled = await set('enabled');

  expect(disabled).toMatchObject({ status: 'disabled', disabled_reason: expect.stringMatching(/\.$/) });
  expect(enabled).toMatchObject({ status: 'enabled', disabled_reason: null });
});

test('an invalid endpoint is refused with the path of its field', async () => {
  await using harness = await createHarness({ env: { PAWL_EGRESS_ALLOW: '' } });
  const { id } = await createEndpoint(harness, url);
  const post = (body: unknown) => refusalOf(harness, '/v1/webhook_endpoints', body);
  const patch = async (body: unknown) =>
    describeRefusal(await harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body }));

  expect(await post({})).toBe('400 missing_field: url');
  expect(await post({ url: 'ftp://example.com' })).toBe('400 invalid_value: url');
  expect(await post({ url: 'http://127.0.0.1:9/' })).toBe('400 egress_blocked: url');
  expect(await post({ url: 'https://me:secret@example.com/' })).toBe('400 egress_blocked: url');
  expect(await post({ url, events: [] })).toBe('400 invalid_value: events');
  expect(await post({ url, events: ['turn.completed', 'turn.started'] })).toBe('400 invalid_value: events[1]');
  expect(await post({ url, include: ['rounds'] })).toBe('400 invalid_value: include[0]');
  expect(await post({ url, secret: 'whsec_x' })).toBe('400 unknown_field: secret');
  expect(await patch({ url: 'http://169.254.169.254/' })).toBe('400 egress_blocked: url');
  expect(await patch({ url: null })).toBe('400 invalid_value: url');
  expect(await patch({ status: 'paused' })).toBe('400 invalid_value: status');
  expect(await patch('{"url":')).toBe('400 invalid_json: null');
  expect(await findEndpoint(harness, { id })).toMatchObject({ url, events: five });
});

test('a repeated Idempotency-Key creates an endpoint, or rotates its secret, once', async ({ harness }) => {
  const headers = { 'idempotency-key': 'k-1' };
  const create = () => harness.call<Endpoint>('POST', '/v1/webhook_endpoints', { body: { url }, headers });

  const [first, again] = [await create(), await create()];
  const path = `/v1/webhook_endpoints/${first.body.id}/rotate_secret`;
  const rotated = await harness.call<Endpoint>('POST', path, { headers });
  const replayed = await harness.call<Endpoint>('POST', path, { headers });

  expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([201, 'true', first.body]);
  expect(rotated.status).toBe(200);
  expect(rotated.body.secrets).toEqual([expect.any(String), first.body.secrets[0]]);
  expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', rotated.body]);
});

test('an endpoint keeps at most two secrets after rotations', async ({ harness }) => {
  const { id, secrets } = await createEndpoint(harness, url);
  const rotate = async () => (await harness.call<Endpoint>('POST', `/v1/webhook_endpoints/${id}/rotate_secret`)).body;

  const once = await rotate();
  const twice = await rotate();

  expect(once.secrets[1]).toBe(secrets[0]);
  expect(twice.secrets).toEqual([expect.any(String), once.secrets[0]]);
});

test('a deleted endpoint is not found', async ({ harness }) => {
  const { id } = await createEndpoint(harness, url);

  const removed = await harness.call('DELETE', `/v1/webhook_endpoints/${id}`);
  const again = await harness.call('DELETE', `/v1/webhook_endpoints/${id}`);

  expect([removed.status, removed.body]).toEqual([204, null]);
  expect(describeRefusal(again)).toBe('404 webhook_endpoint_not_found: id');
});

test('a project has at most 100 endpoints, independent of other projects', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:a,beta:b' } });
  const [alpha, beta] = [apiClient(harness.url, 'a'), apiClient(harness.url, 'b')];
  const create = (client: typeof alpha) => client.call('POST', '/v1/webhook_endpoints', { body: { url } });
  for (let number = 0; number < 100; number += 1) expect((await create(alpha)).status).toBe(201);

  const refused = await create(alpha);
  const others = await create(beta);

  expect(describeRefusal(refused)).toBe('409 too_many_webhook_endpoints: null');
  expect(others.status).toBe(201);
});

test('a test of an endpoint sends a signed event and returns the receiver’s answer', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 202, body: 'Got it, thanks.' }));
  const { id, secrets } = await createEndpoint(harness, receiver.url);

  const { status, body } = await harness.call('POST', `/v1/webhook_endpoints/${id}/test`);

  const event = verified(receiver.caught[0]!, secrets[0]!);
  expect(event).toEqual({
    ...{ id: expect.stringMatching(/^evt_/), object: 'event', type: 'webhook.test' },
    ...{ timestamp: expect.stringMatching(/Z$/), data: { id } },
  });
  expect([status, body]).toEqual([
    200,
    {
      ...{ object: 'webhook_test', event_id: event.id, status: 'delivered', status_code: 202, body: 'Got it, thanks.' },
      ...{ error: null, duration_ms: expect.any(Number) },
    },
  ]);
});

test('a failed test of an endpoint returns the reason and does not disable it', async ({ harness }) => {
  await using receiver = await openExternalServer(() => ({ status: 500, body: 'x'.repeat(2000) }));
  const { id } = await createEndpoint(harness, receiver.url);
  const path = `/v1/webhook_endpoints/${id}`;

  const wrong = await harness.call('POST', `${path}/test`);
  await harness.call('PATCH', path, { body: { url: 'http://127.0.0.1:9/' } });
  const away = await harness.call('POST', `${path}/test`);

  expect(wrong.body).toMatchObject({ status: 'failed', status_code: 500, error: 'The receiver answered 500.' });
  expect(wrong.body.body).toBe('x'.repeat(1024));
  expect(away.body).toMatchObject({ status: 'failed', status_code: null, body: null });
  expect(away.body.error).toMatch(/^The connection to 127\.0\.0\.1/);
  expect(await findEndpoint(harness, { id })).toMatchObject({ status: 'enabled', failing_since: null });
});

test('a test of an endpoint does not reach a name with a private address', async () => {
  await using recorder = await openExternalServer();
  await using harness = await createHarness({ env: { PAWL_EGRESS_ALLOW: '' } });
  const { id } = await createEndpoint(harness, 'https://hooks.example/');
  // The API itself refuses this name, unlike other names that resolve to a private address.
  const url = recorder.url.replace('127.0.0.1', 'localhost');
  await harness.db.updateTable('webhook_endpoints').set({ url }).where('id', '=', id).execute();

  const { body } = await harness.call('POST', `/v1/webhook_endpoints/${id}/test`);

  expect(body).toMatchObject({ status: 'failed', status_code: null });
  expect(body.error).toContain('PAWL_EGRESS_ALLOW');
  expect(recorder.caught).toHaveLength(0);
});
