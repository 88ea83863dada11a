import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openLive } from '#core/live/open-live.ts';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { MAX_PARKED_MS } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { workUntilEnded } from '#test/world/let-time-pass.ts';
import { openLiveWorker } from '#test/world/live-worker.ts';
import { queueBackends } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';

const refusing = (status: number, retryAfter: number, times?: number) =>
  scripted({ answer: 'At last.', final: { fault: { kind: 'status', status, retry_after: retryAfter, times } } });
const MODEL = 'openai/test';
const locate = {
  ...{ name: 'locate_user', description: 'Tells where the user is.', execution: { kind: 'client' } },
  expires_in_seconds: 3,
};

for (const { name, redis, skip } of queueBackends()) {
  test.skipIf(skip)(`${name}: a 429 stops neither another model of its provider nor another provider`, async () => {
    await using world = await createWorld({ redis });
    await using _worker = await openLiveWorker(world);
    const limited = await world.startTurn({ input: refusing(429, 86_400) });
    await vi.waitFor(() => expect(world.worker.limits.mayAsk(MODEL)).toBe(false), { timeout: 10_000 });

    const models = ['openai/other', 'sim/demo'];
    const others = await Promise.all(models.map((model) => world.startTurn({ input: 'Hi', model })));
    const ended = await Promise.all(others.map(({ id }) => waitForEnd(world, id)));

    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect((await world.findTurn(limited.id)).status).toBe('in_progress');
  });

  test.skipIf(skip)(
    `${name}: a turn sent away for 1 s by a 429 is back before one that is sent away for 4 s`,
    async () => {
      await using world = await createWorld({ redis });
      await using _worker = await openLiveWorker(world);
      const ends: string[] = [];
      const end = async ({ id, model }: TurnResource) => {
        await waitForEnd(world, id);
        ends.push(model);
      };

      const late = await world.startTurn({ input: refusing(503, 4, 1), model: 'sim/demo' });
      const soon = await world.startTurn({ input: refusing(429, 1, 1) });
      await Promise.all([end(late), end(soon)]);

      expect(ends).toEqual([MODEL, 'sim/demo']);
    },
  );

  test.skipIf(skip)(`${name}: a turn that is refused each time does not keep the others from asking`, async () => {
    await using world = await createWorld({ redis });
    await using _worker = await openLiveWorker(world);
    const refused = await world.startTurn({ input: refusing(429, 1) });
    await vi.waitFor(() => expect(world.worker.limits.mayAsk(MODEL)).toBe(false), { timeout: 10_000 });

    const other = await world.startTurn({ input: 'Hi' });

    expect((await waitForEnd(world, other.id)).status).toBe('completed');
    expect((await world.findTurn(refused.id)).status).toBe('in_progress');
  });

  test.skipIf(skip)(`${name}: what one worker has met the others hear of`, async () => {
    await using world = await createWorld({ redis });
    await using _worker = await openLiveWorker(world);
    const live = openLive({ databaseUrl: world.env.DATABASE_URL, redisUrl: world.settings.REDIS_URL });
    const other = makeRateLimits(live);

    await vi.waitFor(
      () => {
        other.refused(MODEL, 60_000);
        expect(world.worker.limits.mayAsk(MODEL)).toBe(false);
      },
      { timeout: 10_000 },
    );
    await live.close();
  });

  test.skipIf(skip)(`${name}: a rate limit holds up no deadline, and no call that expires`, async () => {
    await using world = await createWorld({ redis });
    await using _worker = await openLiveWorker(world);
    const rounds = [{ tools: [{ name: 'locate_user', arguments: {}, id: 'call_where' }] }];
    const waiting = await world.startTurn({ input: scripted({ rounds, answer: 'There.' }), tools: [locate] });
    const statusOf = async (id: string) => (await world.findTurn(id)).status;
    await vi.waitFor(async () => expect(await statusOf(waiting.id)).toBe('requires_action'), { timeout: 10_000 });

    await world.startTurn({ input: refusing(429, 60) });
    await vi.waitFor(() => expect(world.worker.limits.mayAsk(MODEL)).toBe(false), { timeout: 10_000 });
    const late = await world.startTurn({ input: 'Hi', limits: { deadline_seconds: 2 } });

    await vi.waitFor(async () => expect(await statusOf(late.id)).toBe('incomplete'), { timeout: 15_000 });
    await vi.waitFor(async () => expect(await statusOf(waiting.id)).toBe('in_progress'), { timeout: 15_000 });
  });
}

test('a provider that asks for a day is asked again after a minute', async () => {
  await using world = await createWorld();

  const { id } = await world.startTurn({ input: refusing(429, 86_400, 1) });
  await world.workUntilIdle();
  const retrying = (await world.listEvents(id)).find(({ type }) => type === 'step.retrying');
  world.worker.limits = makeRateLimits(world.worker.live);
  const turn = await workUntilEnded(world, id);

  expect(retrying).toMatchObject({ retry_in_ms: 60_000, error: { code: 'provider_rate_limited' } });
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
});

test('a provider that is down and asks for a day is asked again after a minute too', async () => {
  await using world = await createWorld();

  const { id } = await world.startTurn({ input: refusing(503, 86_400, 1) });
  await world.workUntilIdle();
  const retrying = (await world.listEvents(id)).find(({ type }) => type === 'step.retrying');

  expect(retrying).toMatchObject({ retry_in_ms: 60_000 });
  expect(await workUntilEnded(world, id)).toMatchObject({ status: 'completed' });
});

test('turns that come while their model is rate-limited are not begun, use up nothing, and make the limit no longer', async () => {
  await using world = await createWorld();
  const { limits } = world.worker;
  limits.refused(MODEL, 20_000);

  const turns = await Promise.all(Array.from({ length: 5 }, () => world.startTurn({ input: 'Hi' })));
  await world.workUntilIdle();

  expect(world.asked).toHaveLength(0);
  expect(limits.limited()).toEqual([{ model: MODEL, forMs: expect.any(Number), counts: false }]);
  expect(limits.limited()[0]?.forMs).toBeLessThan(20_000);
  for (const { id } of turns) {
    expect(await world.findTurn(id)).toMatchObject({ status: 'queued', waiting: { for: 'provider' } });
    expect((await world.listEvents(id)).map(({ type }) => type)).toEqual(['turn.queued']);
  }
  const kept = await world.db.selectFrom('turns').select(['starts', 'attempts', 'held_by']).execute();
  expect(kept).toEqual(turns.map(() => ({ starts: 0, attempts: 0, held_by: null })));
});

test('when a limit is over one request tries, and the others wait for what becomes of it', async () => {
  await using world = await createWorld();
  const clock = stopClock(world);
  world.worker.limits.refused(MODEL, 1_000);
  clock.now += 1_000;

  await world.startTurn({ input: scripted({ final: { fault: { kind: 'hang' } } }) });
  const probing = world.workOnce();
  await vi.waitFor(() => expect(world.asked).toHaveLength(1));
  const other = await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();
  const during = await world.findTurn(other.id);
  world.worker.heartbeat.stop('shutdown');
  await probing;

  expect(world.asked).toHaveLength(1);
  expect(during).toMatchObject({ status: 'queued', waiting: { for: 'provider', until: expect.any(String) } });
  expect(world.worker.limits.mayAsk(MODEL)).toBe(true);
});

test('the first piece of the reply to a probe frees the model', async () => {
  await using world = await createWorld();
  const clock = stopClock(world);
  world.worker.limits.refused(MODEL, 1_000);
  clock.now += 1_000;

  await world.startTurn({ input: scripted({ answer: 'Slowly.', final: { fault: { kind: 'hang', after_chars: 3 } } }) });
  const probing = world.workOnce();
  await vi.waitFor(() => expect(world.worker.limits.any()).toBe(false));
  const other = await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();
  const ended = await world.findTurn(other.id);
  world.worker.heartbeat.stop('shutdown');
  await probing;

  expect(ended.status).toBe('completed');
});

test('a turn that has waited ten minutes for a limit that does not end fails', async () => {
  await using world = await createWorld();
  const clock = stopClock(world);
  const { id } = await world.startTurn({ input: 'Hi' });
  world.worker.limits.refused(MODEL, 1_000);
  clock.now += 1_000;
  world.worker.limits.refused(MODEL, 60_000);
  await sql`update turns set parked_ms = ${MAX_PARKED_MS - 1_000}`.execute(world.db);

  await world.workUntilIdle();

  const turn = await world.findTurn(id);
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited', retryable: true } });
  expect(world.asked).toHaveLength(0);
});

test('a turn that waits in line for a model that answers in between waits as long as it takes', async () => {
  await using world = await createWorld();
  const clock = stopClock(world);
  const { limits } = world.worker;
  const { id } = await world.startTurn({ input: 'Hi' });
  await sql`update turns set parked_ms = ${MAX_PARKED_MS}`.execute(world.db);

  for (let minute = 0; minute < 3; minute += 1) {
    limits.refused(MODEL, 60_000);
    await world.workUntilIdle();
    clock.now += 60_000;
    limits.enter(MODEL).answered();
    await world.advance(66_000);
    await world.rescue();
  }
  await world.workUntilIdle();

  expect((await world.findTurn(id)).status).toBe('completed');
});

test('a begun turn that is sent away tells so once, and waits for the provider since then', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: refusing(429, 30, 1) });
  await world.workUntilIdle();
  const first = await world.findTurn(id);
  const [{ ring }] = (await world.db.selectFrom('turns').select('ring').execute()) as [{ ring: number }];

  await world.advance(1_000);
  await world.rescue();
  await world.advance(40_000);
  await world.rescue();
  await world.workUntilIdle();

  const retrying = (await world.listEvents(id)).filter(({ type }) => type === 'step.retrying');
  const second = await world.findTurn(id);
  const after = await world.db.selectFrom('turns').select('ring').executeTakeFirstOrThrow();
  expect(retrying).toHaveLength(1);
  expect(after.ring).toBeGreaterThan(ring);
  expect(first.waiting).toMatchObject({ for: 'provider', since: expect.any(String), until: expect.any(String) });
  expect(second.waiting).toMatchObject({ for: 'provider', since: first.waiting?.since });
});

/** The worker's limits go by a clock that stands still until the test moves it. */
function stopClock({ worker }: World): { now: number } {
  const clock = { now: 0 };
  worker.limits = makeRateLimits(worker.live, () => clock.now);
  return clock;
}

function waitForEnd(world: World, id: string): Promise<TurnResource> {
  return world.call<TurnResource>('GET', `/v1/turns/${id}?wait=30`).then(({ body }) => body);
}
