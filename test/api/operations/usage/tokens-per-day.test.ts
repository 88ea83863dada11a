import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const PAWL_PROJECTS = JSON.stringify({
  web: { keys: ['key-of-web'], tokens_per_day: 100, requests_per_minute: 600 },
  app: { keys: ['key-of-app'] },
});
const using = (tokens: number) =>
  scripted({ final: { say: 'Hi.', usage: { prompt_tokens: tokens, completion_tokens: 0 } } });

type Client = ReturnType<typeof apiClient>;

async function start(env: Record<string, string> = { PAWL_PROJECTS }) {
  const harness = await createHarness({ env });
  return { harness, web: apiClient(harness.url, 'key-of-web'), app: apiClient(harness.url, 'key-of-app') };
}

/** Requests turns until one turn is refused. A process caches the tokens of the day for up to a second. */
async function untilRefused(web: Client, headers: Record<string, string> = {}) {
  return waitUntil(async () => {
    const answer = await web.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi' }, headers });
    expect(answer.status).toBe(429);
    return answer;
  });
}

test('new turns are refused until midnight UTC after the tokens of a day are used up', async () => {
  const { harness, web, app } = await start();
  await using _ = harness;
  const { id: running, conversation_id } = await web.startTurn({ input: using(100) });
  const later = await web.startTurn({ input: using(10) });
  await harness.workUntilIdle();

  const body = { model: 'openai/test', input: 'Hi' };
  await untilRefused(web);
  const refused = await web.call('POST', '/v1/turns', { body, headers: { 'idempotency-key': 'one' } });
  const others = [
    await web.call('POST', `/v1/conversations/${conversation_id}/turns`, { body: { input: 'Hi' } }),
    await web.call('POST', '/v1/conversations', { body }),
    await web.call('POST', '/v1/responses', { body: { model: 'openai/test', input: 'Hi', background: true } }),
  ];
  const standing = await web.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  await app.startTurn({ input: 'Hi' });

  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::int as seconds`.execute(
    harness.db,
  );
  const seconds = Number(refused.headers.get('retry-after'));
  expect(refused).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error', code: 'quota_exceeded' } } });
  expect(Math.abs(seconds - rows[0]!.seconds)).toBeLessThan(20);
  expect(refused.headers.get('ratelimit-policy')).toContain('"tokens_per_day";q=100;w=86400;pawl-unit="tokens"');
  expect(refused.headers.get('ratelimit')).toContain(`"tokens_per_day";r=0;t=${seconds}`);
  expect(others.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(standing.status).toBe(201);
  expect((await web.findTurn(running)).status).toBe('completed');
  expect((await web.findTurn(later.id)).status).toBe('completed');
  const kept = await harness.db.selectFrom('idempotency_keys').selectAll().execute();
  expect(kept).toEqual([]);
});

test('a repeated Idempotency-Key returns its turn even if the tokens are used up', async () => {
  const { harness, web } = await start();
  await using _ = harness;
  const asking = { body: { model: 'openai/test', input: using(200) }, headers: { 'idempotency-key': 'one' } };
  const first = await web.call('POST', '/v1/turns', asking);
  await harness.workUntilIdle();
  await untilRefused(web);

  const second = await web.call('POST', '/v1/turns', asking);

  expect(second).toMatchObject({ status: 202, body: { id: first.body.id, status: 'completed' } });
});

test.each([
  ['yesterday', '1 day', 202],
  ['today', '0', 429],
])('tokens_per_day counts only tokens of today: %s', async (_, ago, status) => {
  const { harness, web } = await start();
  await using _harness = harness;
  await sql`insert into usage_records (at, project, model, total_tokens)
    select now() - ${ago}::interval, 'web', 'openai/test', 500`.execute(harness.db);

  const answer = await web.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi' } });

  expect(answer.status).toBe(status);
});
