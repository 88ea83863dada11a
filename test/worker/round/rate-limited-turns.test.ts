import { sql } from 'kysely';
import { expect } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { MAX_RATE_LIMIT_WAIT_MS } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { type Harness, letTimePass, workUntilEnded } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test, testWith } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const refusing = (status: number, retryAfter: number, times?: number) =>
  scripted({ answer: 'At last.', final: { fault: { kind: 'status', status, retry_after: retryAfter, times } } });
const MODEL = 'openai/test';
const locate = {
  ...{ name: 'locate_user', description: 'Tells where the user is.', execution: { kind: 'client' } },
  expires_in_seconds: 3_600,
};

describeQueue(({ redis }) => {
  const test = testWith({ redis });

  test('a 429 blocks neither another model of its provider nor another provider', async ({ harness, worker: _ }) => {
    const limited = await harness.startTurn({ input: refusing(429, 86_400) });
    await waitUntil(() => expect(harness.worker.rateLimits.allows(MODEL)).toBe(false));

    const models = ['openai/other', 'sim/demo'];
    const others = await Promise.all(models.map((model) => harness.startTurn({ input: 'Hi', model })));
    const ended = await Promise.all(others.map(({ id }) => harness.untilEnded(id)));

    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect((await harness.findTurn(limited.id)).status).toBe('in_progress');
  });

  test('turns that two providers refuse return, each after its own pause', async ({ harness }) => {
    const clock = stopClock(harness);
    const late = await harness.startTurn({ input: refusing(503, 50, 1), model: 'sim/demo' });
    const soon = await harness.runTurn({ input: refusing(429, 1, 1) });
    const pauseOf = async ({ id }: TurnResource) =>
      (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying')?.retry_in_ms;
    const pauses = [await pauseOf(late), await pauseOf(soon)];
    const statusesAfter = async (ms: number) => {
      clock.now += ms;
      await harness.advance(ms);
      await harness.rescue();
      await harness.wakeWaiting();
      await harness.workUntilIdle();
      return `${(await harness.findTurn(late.id)).status} ${(await harness.findTurn(soon.id)).status}`;
    };

    const statuses = [await statusesAfter(10_000), await statusesAfter(50_000)];

    expect(pauses).toEqual([50_000, 1_000]);
    expect(statuses).toEqual(['in_progress completed', 'completed completed']);
  });

  test('a turn that is refused each time does not keep other turns from the model', async ({ harness, worker: _ }) => {
    const refused = await harness.startTurn({ input: refusing(429, 1) });
    await waitUntil(() => expect(harness.worker.rateLimits.allows(MODEL)).toBe(false));

    const other = await harness.startTurn({ input: 'Hi' });

    expect((await harness.untilEnded(other.id)).status).toBe('completed');
    expect((await harness.findTurn(refused.id)).status).toBe('in_progress');
  });

  test('a rate limit of a worker reaches the other workers', async ({ harness, worker: _ }) => {
    const pubsub = openPubsub({ databaseUrl: harness.env.DATABASE_URL, redisUrl: harness.settings.REDIS_URL });
    const other = makeRateLimits(pubsub);

    await waitUntil(() => {
      other.refused(MODEL, 60_000);
      expect(harness.worker.rateLimits.allows(MODEL)).toBe(false);
    });
    await pubsub.close();
  });

  test('a rate limit delays no deadline, and no call that expires', async ({ harness, worker: _ }) => {
    const rounds = [{ tools: [{ name: 'locate_user', arguments: {}, id: 'call_where' }] }];
    const waiting = await harness.startTurn({ input: scripted({ rounds, answer: 'There.' }), tools: [locate] });
    const statusOf = async (id: string) => (await harness.findTurn(id)).status;
    await waitUntil(async () => expect(await statusOf(waiting.id)).toBe('requires_action'));

    await harness.startTurn({ input: refusing(429, 60) });
    await waitUntil(() => expect(harness.worker.rateLimits.allows(MODEL)).toBe(false));
    const late = await harness.startTurn({ input: 'Hi', limits: { deadline_seconds: 3_600 } });
    await harness.advance(3_700_000);

    await waitUntil(async () => expect(await statusOf(late.id)).toBe('incomplete'));
    await waitUntil(async () => expect(await statusOf(waiting.id)).not.toBe('requires_action'));
  });
});

test('a provider that requests a pause of a day is asked again after a minute', async ({ harness }) => {
  stopClock(harness);
  const { id } = await harness.runTurn({ input: refusing(429, 86_400, 1) });
  const retrying = (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying');
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub);
  const turn = await workUntilEnded(harness, id);

  expect(retrying).toMatchObject({ retry_in_ms: 60_000, error: { code: 'provider_rate_limited' } });
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
});

test('a provider that is down and requests a pause of a day is asked after a minute', async ({ harness }) => {
  const { id } = await harness.runTurn({ input: refusing(503, 86_400, 1) });
  const retrying = (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying');

  expect(retrying).toMatchObject({ retry_in_ms: 60_000 });
  expect(await workUntilEnded(harness, id)).toMatchObject({ status: 'completed' });
});

test('turns of a rate-limited model do not begin, use no attempt and prolong no limit', async ({ harness }) => {
  const { rateLimits } = harness.worker;
  rateLimits.refused(MODEL, 20_000);

  const turns = await Promise.all(Array.from({ length: 5 }, () => harness.startTurn({ input: 'Hi' })));
  await harness.workUntilIdle();

  expect(harness.modelRequests).toHaveLength(0);
  expect(rateLimits.limited()).toEqual([{ name: MODEL, forMs: expect.any(Number), counts: false }]);
  expect(rateLimits.limited()[0]?.forMs).toBeLessThan(20_000);
  for (const { id } of turns) {
    expect(await harness.findTurn(id)).toMatchObject({ status: 'queued', waiting: { for: 'provider' } });
    expect((await harness.listEvents(id)).map(({ type }) => type)).toEqual(['turn.queued']);
  }
  const kept = await harness.db.selectFrom('turn_states').select(['starts', 'attempts', 'lease_owner']).execute();
  expect(kept).toEqual(turns.map(() => ({ starts: 0, attempts: 0, lease_owner: null })));
});

test('a single request probes a model after its limit, and the others wait for that', async ({ harness }) => {
  const clock = stopClock(harness);
  harness.worker.rateLimits.refused(MODEL, 1_000);
  clock.now += 1_000;

  await harness.startTurn({ input: scripted({ final: { fault: { kind: 'hang' } } }) });
  const probing = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
  // A long probe delays the other turns. So the other turn does not return before the test reads it.
  clock.now += 20_000;
  const other = await harness.runTurn({ input: 'Hi' });
  const during = await harness.findTurn(other.id);
  harness.worker.heartbeat.stop('shutdown');
  await probing;

  expect(harness.modelRequests).toHaveLength(1);
  expect(during).toMatchObject({ status: 'queued', waiting: { for: 'provider', until: expect.any(String) } });
  expect(harness.worker.rateLimits.allows(MODEL)).toBe(true);
});

test('the first delta of the reply to a probe frees the model', async ({ harness }) => {
  const clock = stopClock(harness);
  harness.worker.rateLimits.refused(MODEL, 1_000);
  clock.now += 1_000;

  await harness.startTurn({
    input: scripted({ answer: 'Slowly.', final: { fault: { kind: 'hang', after_chars: 3 } } }),
  });
  const probing = harness.workOnce();
  await waitUntil(() => expect(harness.worker.rateLimits.any()).toBe(false));
  const other = await harness.runTurn({ input: 'Hi' });
  const ended = await harness.findTurn(other.id);
  harness.worker.heartbeat.stop('shutdown');
  await probing;

  expect(ended.status).toBe('completed');
});

test('a turn fails after ten minutes of a limit that does not end', async ({ harness }) => {
  const clock = stopClock(harness);
  const { id } = await harness.startTurn({ input: 'Hi' });
  harness.worker.rateLimits.refused(MODEL, 1_000);
  clock.now += 1_000;
  harness.worker.rateLimits.refused(MODEL, 60_000);
  await sql`update work set waited_ms = ${MAX_RATE_LIMIT_WAIT_MS - 1_000}`.execute(harness.db);

  await harness.workUntilIdle();

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited', retryable: true } });
  expect(harness.modelRequests).toHaveLength(0);
});

test('a turn waits without a maximum if its model answers other turns in between', async ({ harness }) => {
  const clock = stopClock(harness);
  const { rateLimits } = harness.worker;
  const { id } = await harness.startTurn({ input: 'Hi' });
  await sql`update work set waited_ms = ${MAX_RATE_LIMIT_WAIT_MS}`.execute(harness.db);

  for (let minute = 0; minute < 3; minute += 1) {
    rateLimits.refused(MODEL, 60_000);
    await harness.workUntilIdle();
    clock.now += 60_000;
    rateLimits.acquire(MODEL).answered();
    await harness.advance(66_000);
    await harness.rescue();
  }
  await harness.workUntilIdle();

  expect((await harness.findTurn(id)).status).toBe('completed');
});

test('a begun turn that is postponed reports that once, and waits for the provider', async ({ harness }) => {
  const { id } = await harness.runTurn({ input: refusing(429, 30, 1) });
  const first = await harness.findTurn(id);
  const [{ generation }] = (await harness.db.selectFrom('turn_states').select('generation').execute()) as [
    { generation: number },
  ];

  await harness.advance(1_000);
  await harness.rescue();
  await letTimePass(harness, 40_000);

  const second = await harness.findTurn(id);
  const after = await harness.db.selectFrom('turn_states').select('generation').executeTakeFirstOrThrow();
  expect((await harness.listEvents(id)).filter(({ type }) => type === 'step.retrying')).toHaveLength(1);
  expect(after.generation).toBeGreaterThan(generation);
  expect(first.waiting).toMatchObject({ for: 'provider', since: expect.any(String), until: expect.any(String) });
  expect(second.waiting).toMatchObject({ for: 'provider', since: first.waiting?.since });
});

/** Moves the worker's rate limits to a clock that only the test moves. */
function stopClock({ worker }: Harness): { now: number } {
  const clock = { now: 0 };
  worker.rateLimits = makeRateLimits(worker.pubsub, () => clock.now);
  return clock;
}
