import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

type Percentiles = { p50: number; p95: number } | null;
type Figures = { from: string; to: string; precision: string; turns: Record<string, number> } & {
  duration_ms: Percentiles;
  queue_wait_ms: Percentiles;
  input_tokens: number;
  output_tokens: number;
};
type Failure = { error_code: string; turns: number; example: { turn_id: string; message: string } };
type Statistics = Figures & { object: string; buckets: Figures[]; failures: Failure[] };

const NONE = { queued: 0, in_progress: 0, requires_action: 0, completed: 0, incomplete: 0, failed: 0, cancelled: 0 };
const failing = scripted({ rounds: [], final: { fault: { kind: 'status', status: 401 } } });

test('statistics count statuses, times, tokens and failures of the last day', async ({ harness }) => {
  await harness.startTurn({ input: 'Hi' });
  await harness.startTurn({ input: failing });
  const { id } = await harness.startTurn({ input: failing });
  await harness.workUntilIdle();
  await harness.startTurn({ input: 'Later.' });

  const { status, body } = await harness.call<Statistics>('GET', '/v1/statistics');

  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'statistics', precision: 'exact' });
  expect(body.turns).toEqual({ ...NONE, completed: 1, failed: 2, queued: 1 });
  expect(body.buckets).toHaveLength(48);
  expect(body.buckets.at(-1)?.turns).toEqual(body.turns);
  expect(Date.parse(body.to) - Date.parse(body.from)).toBe(24 * 60 * 60_000);
  expect(body.duration_ms?.p95).toBeGreaterThanOrEqual(body.duration_ms?.p50 ?? Number.NaN);
  expect(body.queue_wait_ms).not.toBeNull();
  expect(body.input_tokens).toBeGreaterThan(0);
  expect(body.failures).toMatchObject([
    { error_code: 'provider_authentication_failed', turns: 2, example: { turn_id: id, message: expect.any(String) } },
  ]);
});

test('statistics divide a range into consecutive buckets, without other turns', async ({ harness }) => {
  await harness.startTurn({ input: 'Hi' });

  const range = 'from=2026-01-01&to=2026-01-02T00:00:00%2B01:00&buckets=23';
  const { body } = await harness.call<Statistics>('GET', `/v1/statistics?${range}`);

  expect([body.from, body.to]).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T23:00:00.000Z']);
  expect(body.buckets.map(({ to }) => to).slice(0, -1)).toEqual(body.buckets.map(({ from }) => from).slice(1));
  expect(body.buckets[7]?.from).toBe('2026-01-01T07:00:00.000Z');
  expect(body).toMatchObject({ turns: NONE, duration_ms: null, queue_wait_ms: null, input_tokens: 0, failures: [] });
});

test('statistics of a project exclude other projects, deleted turns and added items', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' } });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const body = { model: 'openai/test', input: 'Hi' };
  await harness.call('POST', '/v1/turns', { body, ...as('key-a') });
  const items = { items: [{ type: 'message', role: 'user', content: 'Hello.' }] };
  await harness.call('POST', '/openai/v1/conversations', { body: items, ...as('key-b') });

  const [ofAlpha, ofBeta] = await Promise.all(
    ['key-a', 'key-b'].map((key) => harness.call<Statistics>('GET', '/v1/statistics', as(key))),
  );

  expect(ofAlpha?.body.turns).toEqual({ ...NONE, queued: 1 });
  expect(ofBeta?.body.turns).toEqual(NONE);
});

test('statistics of another project, or of all projects, require an admin key', async () => {
  const keys = { alpha: { keys: ['key-a'] }, beta: { keys: [{ key: 'key-b', scopes: ['admin'] }] } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(keys) } });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi' }, ...as('key-a') });
  const ask = (key: string, query: string) =>
    harness.call<Statistics>('GET', `/v1/statistics${query}`, as(key)).then(({ status, body }) => [status, body.turns]);

  expect(await ask('key-a', '?project=alpha')).toEqual([200, { ...NONE, queued: 1 }]);
  expect(await ask('key-b', '')).toEqual([200, NONE]);
  expect(await ask('key-b', '?project=alpha')).toEqual([200, { ...NONE, queued: 1 }]);
  expect(await ask('key-b', '?project=*')).toEqual([200, { ...NONE, queued: 1 }]);
  for (const project of ['*', 'beta']) expect(await ask('key-a', `?project=${project}`)).toEqual([403, undefined]);
});

test('statistics count the turns that match a filter by status', async ({ harness }) => {
  await harness.startTurn({ input: 'Hi', metadata: { customer: '17' } });
  await harness.startTurn({ input: failing, metadata: { customer: '17' } });
  await harness.workUntilIdle();
  await harness.startTurn({ input: 'Hi', metadata: { customer: '17' } });
  await harness.startTurn({ input: 'Hi' });
  await enterNow(harness);
  const count = async (query: string) =>
    (await harness.call<{ counts: Record<string, number> }>('GET', `/v1/statistics/turns?${query}`)).body.counts;

  expect(await count('')).toEqual({ ...NONE, queued: 2, completed: 1, failed: 1 });
  expect(await count('metadata[customer]=17')).toEqual({ ...NONE, queued: 1, completed: 1, failed: 1 });
  expect(await count('error_code=provider_authentication_failed')).toEqual({ ...NONE, failed: 1 });
  expect(await count('model=openai/other')).toEqual(NONE);
  expect(await count('created_before=2026-01-01T00:00:00Z')).toEqual(NONE);
});

test.each([
  ['from=yesterday', '`from`'],
  ['from=2026-13-45', '`from`'],
  ['to=12', '`to`'],
  ['buckets=0', '`buckets`'],
  ['buckets=201', '`buckets`'],
  ['from=2026-01-02&to=2026-01-01', '`from`'],
])('the query %s of statistics is refused with the name of its field', async (query, named) => {
  await using harness = await createHarness();

  const { status, body } = await harness.call<{ error: { code: string; message: string } }>(
    'GET',
    `/v1/statistics?${query}`,
  );

  expect([status, body.error.code]).toEqual([400, 'invalid_value']);
  expect(body.error.message).toContain(named);
});
