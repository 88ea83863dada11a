import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeRequestQuota } from '#services/api/quotas/request-quota.ts';
import { startApi } from '#services/api/start-api.ts';
import { type Answer, apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeRefusal } from '../refusals.ts';

const envOf = (web: object) => ({
  PAWL_PROJECTS: JSON.stringify({ web: { keys: ['key-of-web'], ...web }, other: { keys: ['key-of-other'] } }),
});
const body = { model: 'openai/test', input: 'Hi' };
const webOf = ({ url }: Pick<Harness, 'url'>) => apiClient(url, 'key-of-web');
const start = (client: ReturnType<typeof apiClient>, more = {}, headers = {}) =>
  client.call('POST', '/v1/turns', { body: { ...body, ...more }, headers });
const many = <Created>(count: number, make: (index: number) => Promise<Created>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const statusesOf = (answers: Answer<unknown>[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]));
const countTurns = async ({ db }: Harness) =>
  (await sql<{ count: number }>`select count(*)::int as count from turns`.execute(db)).rows[0]?.count;

test('a request quota counts changes across all API processes, and no reads', async () => {
  await using harness = await createHarness({ env: envOf({ requests_per_minute: 10 }) });
  const second = await startApi(harness.parts, harness.settings, harness.log);
  const clients = [webOf(harness), webOf(second)];

  const reads = await many(20, (index) => clients[index % 2]!.call('GET', '/v1/turns'));
  const answers = await many(24, (index) => start(clients[index % 2]!));
  const changes = await Promise.all([
    clients[0]!.call('DELETE', '/v1/conversations/conv_x'),
    clients[1]!.call('PATCH', '/v1/webhook_endpoints/whe_x', { body: {} }),
    clients[1]!.call('POST', '/openai/v1/responses', { body }),
  ]);
  const other = await start(apiClient(harness.url, 'key-of-other'));
  await second.close(0);

  expect(statusesOf(reads)).toEqual({ 200: 20 });
  expect(statusesOf(answers)).toEqual({ 202: 10, 429: 14 });
  expect(changes.map(describeRefusal)).toEqual(changes.map(() => '429 quota_exceeded: null'));
  expect(await countTurns(harness)).toBe(11);
  expect(other.status).toBe(202);
  expect(other.headers.get('ratelimit')).toBeNull();
});

test('ratelimit headers report the remaining requests of a minute and its end', async () => {
  const quotas = { requests_per_minute: 2, tokens_per_day: 1_000_000 };
  await using harness = await createHarness({ env: envOf(quotas) });
  const web = webOf(harness);

  const answers = [await start(web), await start(web), await start(web), await start(web)];

  const policy = '"requests_per_minute";q=2;w=60, "tokens_per_day";q=1000000;w=86400;pawl-unit="tokens"';
  expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(answers.map(() => policy));
  const [first, second, third, fourth] = answers.map(({ headers }) => headers.get('ratelimit'));
  expect(first).toMatch(/^"requests_per_minute";r=1;t=(60|59)$/);
  expect(second).toMatch(/^"requests_per_minute";r=0;t=(60|5\d)$/);
  for (const [index, received] of [third, fourth].entries()) {
    const { status, headers, body: refused } = answers[index + 2]!;
    const seconds = headers.get('retry-after');
    expect(Number(seconds)).toBeGreaterThan(40);
    expect(received).toBe(`"requests_per_minute";r=0;t=${seconds}`);
    const message = `The project may make 2 requests a minute. Try again in ${seconds} s.`;
    const error = { type: 'rate_limit_error', code: 'quota_exceeded', message, param: null };
    expect([status, refused]).toEqual([429, { error }]);
  }
});

test('a request quota restarts after a minute, and a full minute is cached', async () => {
  await using harness = await createHarness();
  let now = 0;
  const quota = makeRequestQuota(harness.db, () => now);
  const project = { ...harness.parts.projects.find('web'), requestsPerMinute: 1 };
  const requests = async () =>
    (await harness.db.selectFrom('request_minutes').select('requests').execute())[0]?.requests;
  const remaining = async () => (await quota.count(project)).remaining;

  expect([await remaining(), await remaining(), await remaining(), await remaining()]).toEqual([0, -1, -1, -1]);
  expect(Number(await requests())).toBe(2);

  await sql`update request_minutes set begun_at = begun_at - interval '1 minute'`.execute(harness.db);
  now = 60_000;

  expect([await remaining(), await remaining()]).toEqual([0, -1]);
});

test('a project without a request quota causes no quota statement', async () => {
  await using harness = await createHarness({ env: envOf({ max_queued_turns: 5 }) });

  await start(webOf(harness));

  expect(await harness.db.selectFrom('request_minutes').selectAll().execute()).toEqual([]);
});

test('a refused request does not use its Idempotency-Key, and may be repeated later', async () => {
  await using harness = await createHarness({ env: envOf({ max_queued_turns: 1 }) });
  const web = webOf(harness);
  const first = await start(web, {}, { 'idempotency-key': 'one' });

  const refused = await start(web, {}, { 'idempotency-key': 'two' });
  const replayed = await start(web, {}, { 'idempotency-key': 'one' });
  await harness.workUntilIdle();
  const again = await start(web, { input: 'Ho' }, { 'idempotency-key': 'two' });

  expect(describeRefusal(refused)).toBe('429 quota_exceeded: null');
  expect(refused.headers.get('ratelimit')).toBe('"max_queued_turns";r=0');
  expect(refused.headers.get('ratelimit-policy')).toBe('"max_queued_turns";q=1');
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(replayed.body).toMatchObject({ id: first.body.id });
  expect(again.status).toBe(202);
  expect(await countTurns(harness)).toBe(2);
});

test('queued turns never exceed max_queued_turns, for concurrent requests on any route', async () => {
  await using harness = await createHarness({ env: envOf({ max_queued_turns: 7 }) });
  const second = await startApi(harness.parts, harness.settings, harness.log);
  const clients = [webOf(harness), webOf(second)];
  const [{ body: conversation }] = await Promise.all([clients[0]!.call('POST', '/v1/conversations', { body: {} })]);
  const routes = ['/v1/turns', '/v1/conversations', `/v1/conversations/${conversation.id}/turns`, '/v1/responses'];

  const answers = await many(40, (index) => {
    const path = routes[index % 4]!;
    const sent = path.endsWith('responses') ? { ...body, background: true } : body;
    const headers: Record<string, string> = index % 3 === 0 ? { 'idempotency-key': `key-${index}` } : {};
    return clients[index % 2]!.call('POST', path, { body: sent, headers });
  });
  const other = await start(apiClient(harness.url, 'key-of-other'));
  await second.close(0);

  expect(answers.filter(({ status }) => status < 300)).toHaveLength(7);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(33);
  expect(await countTurns(harness)).toBe(8);
  expect(other.status).toBe(202);
});

test('a turn that has begun does not count as queued, and a replacement counts once', async () => {
  await using harness = await createHarness({ env: envOf({ max_queued_turns: 1, requests_per_minute: 100 }) });
  const web = webOf(harness);
  const { body: turn } = await start(web);
  const path = `/v1/conversations/${turn.conversation_id}/turns`;

  const behind = await web.call('POST', path, { body });
  const instead = await web.call('POST', path, { body: { ...body, on_active_turn: 'interrupt' } });
  const empty = await web.call('POST', '/v1/conversations', { body: {} });

  expect([behind.status, instead.status, empty.status]).toEqual([429, 202, 201]);
  expect(instead.headers.get('ratelimit')).toMatch(/^"requests_per_minute";r=97;t=\d+, "max_queued_turns";r=0$/);
});

test('a refused start does not affect other starts in its transaction', async () => {
  await using harness = await createHarness({ env: envOf({ max_queued_turns: 100 }) });
  const web = webOf(harness);
  const keyed = (key: string, input: string) => start(web, { input }, { 'idempotency-key': key });

  const answers = await Promise.all([
    ...[start(web), keyed('a', 'Hi'), keyed('a', 'Hi'), keyed('a', 'Ho'), keyed('b', 'Hi'), keyed('b c', 'Hi')],
    ...[start(web, { webhook: { url: 'http://10.0.0.1/' } }), start(web)],
  ]);

  const kinds = answers.map(
    ({ status, headers }) => `${status}${headers.has('idempotency-replayed') ? ' replayed' : ''}`,
  );
  const ofA = kinds.slice(1, 4);
  expect([kinds[0], ...kinds.slice(4)]).toEqual(['202', '202', '400', '400', '202']);
  // One of the three requests with key `a` was accepted, in any order.
  expect(ofA.filter((kind) => kind === '202')).toHaveLength(1);
  expect(['202, 202 replayed, 409', '202, 409, 409']).toContain(ofA.toSorted().join(', '));
  expect(await countTurns(harness)).toBe(4);
});
