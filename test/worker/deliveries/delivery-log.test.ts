import { expect } from 'vitest';
import { createHarness, type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { openExternalServer, type Reply } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';

type Attempt = { attempt: number; at: string; status_code: number | null; body: string | null; error: string | null };
type Logged = { id: string; attempts: number; webhook_endpoint_id: string | null; log: Attempt[] };

async function readDelivery({ call, db }: Harness): Promise<Logged> {
  const { id } = await db.selectFrom('deliveries').select('id').executeTakeFirstOrThrow();
  const { status, body } = await call<Logged>('GET', `/v1/deliveries/${id}`);
  expect(status).toBe(200);
  return body;
}

test('the log of a delivery has the outcome of each attempt', async ({ harness }) => {
  const replies: Reply[] = [
    { status: 500, body: 'Out of order.' },
    { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
    { status: 200, body: { ok: true } },
  ];
  await using receiver = await openExternalServer((number) => replies[number - 1] ?? null);
  const { id } = await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });

  await harness.workUntilIdle();
  await letTimePass(harness);
  await letTimePass(harness);

  const { log, ...delivery } = await readDelivery(harness);
  const { data } = (await harness.call<{ data: unknown[] }>('GET', `/v1/turns/${id}/deliveries`)).body;
  const timed = { at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), duration_ms: expect.any(Number) };
  expect(log).toEqual([
    { ...timed, attempt: 1, status_code: 500, body: 'Out of order.', error: 'The receiver answered 500.' },
    { ...timed, attempt: 2, status_code: 302, body: '', error: expect.stringContaining('not followed') },
    { ...timed, attempt: 3, status_code: 200, body: '{"ok":true}', error: null },
  ]);
  expect(data).toEqual([{ ...delivery, webhook_endpoint_id: undefined }]);
  expect(delivery.webhook_endpoint_id).toBeNull();
});

const IN_A_MINUTE = () => new Date(msAgo(-60_000)).toUTCString();

test.each([
  ['429 in seconds', 429, () => '25', 25_000],
  ['503 as a date', 503, IN_A_MINUTE, 58_000],
  ['500 in a long time', 500, () => '999999999', 86_400_000],
])('a delivery is not retried before the Retry-After of a %s', async (_, status, retryAfter, leastMs) => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer(() => ({ status, headers: { 'retry-after': retryAfter() } }));
  const { id } = await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });

  await harness.workUntilIdle();

  const { log } = await readDelivery(harness);
  const { data } = (await harness.call<{ data: { next_attempt_at: string }[] }>('GET', `/v1/turns/${id}/deliveries`))
    .body;
  const pauseMs = Date.parse(data[0]!.next_attempt_at) - Date.parse(log[0]!.at);
  expect(log).toHaveLength(1);
  expect(pauseMs).toBeGreaterThanOrEqual(leastMs);
});

test('an attempt without an answer is in the log with its reason', async ({ harness }) => {
  const { id } = await createEndpoint(harness, 'http://127.0.0.1:9/');

  await harness.runTurn({ input: 'Hi' });

  expect(await readDelivery(harness)).toMatchObject({
    webhook_endpoint_id: id,
    log: [{ attempt: 1, status_code: null, body: null, error: expect.stringMatching(/^The connection to 127/) }],
  });
});

test('the log keeps the first KiB of an answer, without secrets and invalid characters', async () => {
  await using harness = await createHarness({ env: { PAWL_SECRETS: '{"crm":"k3y-of-the-crm"}' } });
  await using receiver = await openExternalServer(() => ({
    status: 200,
    body: `k3y-of-the-crm \u0000 ${'x'.repeat(2000)}`,
  }));

  await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });

  const { log } = await readDelivery(harness);
  expect(log[0]?.body).toBe(`[redacted] \uFFFD ${'x'.repeat(1024 - 'k3y-of-the-crm \u0000 '.length)}`);
});

test('the log keeps the last twenty attempts, also of a redelivery', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: 500, body: String(number) }));
  await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const tryTwelveTimes = async () => {
    await harness.workUntilIdle();
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      await letTimePass(harness, 27 * 3_600_000);
    }
  };
  await tryTwelveTimes();
  const { id, ...first } = await readDelivery(harness);

  await harness.call('POST', `/v1/deliveries/${id}/redeliver`);
  await tryTwelveTimes();

  const { log } = await readDelivery(harness);
  expect(first).toMatchObject({ status: 'failed', attempts: 12 });
  expect(log.map(({ body }) => Number(body))).toEqual(Array.from({ length: 20 }, (_, index) => index + 5));
  expect(log.map(({ attempt }) => attempt)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('a redelivery resets its delivery, and keeps the last answer in the log', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 500 : 200, body: 'No.' }));
  await harness.runTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const { id } = await readDelivery(harness);

  const { body } = await harness.call('POST', `/v1/deliveries/${id}/redeliver`);

  expect(body).toMatchObject({ status: 'pending', attempts: 0, last_status_code: null, last_error: null });
  expect(await readDelivery(harness)).toMatchObject({ log: [{ status_code: 500, body: 'No.' }] });
});

test('a pending delivery names its endpoint’s URL, and later the URL that was called', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 500 : 200 }));
  const { id } = await createEndpoint(harness, `${receiver.url}old`);
  await harness.runTurn({ input: 'Hi' });
  const moveTo = (path: string) =>
    harness.call('PATCH', `/v1/webhook_endpoints/${id}`, { body: { url: receiver.url + path } });

  await moveTo('new');
  const pending = await readDelivery(harness);
  await letTimePass(harness);
  await moveTo('newer');
  const delivered = await readDelivery(harness);

  expect(pending).toMatchObject({ status: 'pending', url: `${receiver.url}new` });
  expect(delivered).toMatchObject({ status: 'delivered', url: `${receiver.url}new` });
});

test('a deleted conversation deletes its deliveries and their log', async ({ harness, receiver }) => {
  await createEndpoint(harness, receiver.url);
  const { conversation_id } = await harness.runTurn({ input: 'Hi' });

  await harness.call('DELETE', `/v1/conversations/${conversation_id}`);

  const left = await Promise.all(
    (['deliveries', 'delivery_attempts'] as const).map((table) => harness.db.selectFrom(table).selectAll().execute()),
  );
  expect(left).toEqual([[], []]);
});
