import { expect, test } from 'vitest';
import { newId } from '#core/id.ts';
import type { Bell, JobHandler } from '#core/queue/bell.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { TurnRing } from '#core/turn/ring.ts';
import { describeQueues } from '#test/world/queues.ts';
import { createTestDatabase } from '#test/world/test-database.ts';
import { testRedisUrl } from '#test/world/test-redis.ts';

const ALL = ['turns-openai', 'anytime', 'deliveries'];

async function openTestBell(redis: boolean): Promise<Bell & AsyncDisposable> {
  const databaseUrl = await createTestDatabase();
  const bell = await openBell({ databaseUrl, redisUrl: redis ? testRedisUrl() : undefined });
  return { ...bell, [Symbol.asyncDispose]: () => bell.close() };
}

function turnRing(own: Partial<TurnRing> = {}): TurnRing {
  return { kind: 'turn', turnId: newId('turn'), step: 'r1', number: 0, provider: 'openai', priority: 0, ...own };
}

/** Works everything that waits and answers which turns or deliveries were rung, in order. */
async function drain(bell: Bell): Promise<string[]> {
  const rung: string[] = [];
  const note: JobHandler = async ({ data }) =>
    void rung.push('turnId' in data ? `${data.turnId}-${data.step}` : data.deliveryId);
  while (await bell.answerOnce(ALL, note));
  return rung;
}

/** The exam every queue sits: what Pawl asks of a doorbell, and nothing more. */
describeQueues(({ redis }) => {
  test('ringing twice is ringing once', async () => {
    await using bell = await openTestBell(redis);
    const ring = turnRing();

    await bell.ring([ring]);
    await bell.ring([ring]);

    expect(await drain(bell)).toEqual([`${ring.turnId}-r1`]);
  });

  test('a higher ring number rings the same step again, even from inside its own job', async () => {
    await using bell = await openTestBell(redis);
    const ring = turnRing();
    await bell.ring([ring]);

    await bell.answerOnce(ALL, () => bell.ring([{ ...ring, number: 1 }]));

    expect(await drain(bell)).toEqual([`${ring.turnId}-r1`]);
  });

  test('what a job rings ahead is there as soon as the job is acknowledged', async () => {
    await using bell = await openTestBell(redis);
    const [ring, next] = [turnRing(), turnRing({ step: 'b1' })];
    await bell.ring([ring]);

    await bell.answerOnce(ALL, async () => void (await bell.ringAhead([next])));

    expect(await drain(bell)).toEqual([`${next.turnId}-b1`]);
  });

  test('whoever rings ahead is told what becomes of it', async () => {
    await using bell = await openTestBell(redis);

    const { arrived } = await bell.ringAhead([turnRing()]);

    await expect(arrived).resolves.toBeUndefined();
    expect(await drain(bell)).toHaveLength(1);
  });

  test('an id that was used up can be rung again', async () => {
    await using bell = await openTestBell(redis);
    const ring = turnRing();

    await bell.ring([ring]);
    const first = await drain(bell);
    await bell.ring([ring]);

    expect(await drain(bell)).toEqual(first);
  });

  test('a running turn goes before new ones, and of new ones the higher priority', async () => {
    await using bell = await openTestBell(redis);
    const [plain, urgent, running] = [turnRing(), turnRing({ priority: 5 }), turnRing({ step: 'r2' })];

    await bell.ring([plain, urgent, running]);

    expect(await drain(bell)).toEqual([`${running.turnId}-r2`, `${urgent.turnId}-r1`, `${plain.turnId}-r1`]);
  });

  test('a delayed ring waits', async () => {
    await using bell = await openTestBell(redis);

    await bell.ring([turnRing({ delayMs: 3_600_000 })]);

    expect(await drain(bell)).toEqual([]);
    expect(await bell.count(ALL)).toMatchObject({ delayed: 1 });
  });

  test('a job that throws leaves nothing behind', async () => {
    await using bell = await openTestBell(redis);
    await bell.ring([turnRing()]);

    const broken = bell.answerOnce(ALL, () => Promise.reject(new Error('broken \u0000')));
    await expect(broken).rejects.toThrow('broken');

    expect(await drain(bell)).toEqual([]);
    expect(Object.values(await bell.count(ALL)).every((count) => count === 0)).toBe(true);
  });

  test('a worker answers what is rung while it listens, and closes when told', async () => {
    await using bell = await openTestBell(redis);
    const heard = Promise.withResolvers<string>();
    const ring = turnRing();

    const answering = await bell.answer(ALL, async ({ data }) => heard.resolve('turnId' in data ? data.turnId : ''), 4);
    await bell.ring([ring]);

    expect(await heard.promise).toBe(ring.turnId);
    await answering.close(1_000);
  });
});

test('a queue that is away refuses rings instead of keeping them', async () => {
  const bell = await openBell({ databaseUrl: '', redisUrl: 'redis://127.0.0.1:1' });

  await expect(bell.ring([turnRing()])).rejects.toThrow();
  await bell.close();
});
