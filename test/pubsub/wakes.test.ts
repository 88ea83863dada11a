import { expect, inject, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { repeat } from '#test/harness/repeat.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const event = { type: 'round.started' as const, turn_id: 'turn_1', round: 1, attempt: 1, draft: 1 };

describeQueue(({ redis }) => {
  test('a subscription to wakes receives the wakes of all turns, and no live events', async () => {
    await using pubsub = await openPair(redis);
    const received = receive(pubsub);
    await waitUntil(() => pubsub.receivesWakes());
    received.length = 0;

    for (const turnId of ['turn_1', 'turn_2', 'turn_1']) pubsub.publishToTurn({ kind: 'wake', turnId });
    pubsub.publishToTurn({ kind: 'event', turnId: 'turn_1', event });
    pubsub.publishToTurn({ kind: 'wake', turnId: 'turn_3' });
    await waitUntil(() => received.includes('turn_3'));

    expect(received).toEqual(['turn_1', 'turn_2', 'turn_3']);
  });

  test('a wake arrives before a later live event of its turn, and after an earlier event', async () => {
    await using pubsub = await openPair(redis);
    const received = receive(pubsub);
    pubsub.subscribeToEvents('turn_1', ({ type }) => received.push(type));
    await untilSubscribed(pubsub);
    received.length = 0;

    pubsub.publishToTurn({ kind: 'wake', turnId: 'turn_1' });
    pubsub.publishToTurn({ kind: 'event', turnId: 'turn_1', event });
    pubsub.publishToTurn({ kind: 'wake', turnId: 'turn_2' });
    await waitUntil(() => received.includes('turn_2'));

    expect(received).toEqual(['turn_1', 'round.started', 'turn_2']);
  });
});

test('wakes are uncertain during a Redis outage, and its end reports missed wakes', async ({ skip }) => {
  await using redis = await openRedis();
  if (!redis) return skip('no redis-server on the PATH');
  const pubsub = openPubsub({ databaseUrl: '', redisUrl: redis.url });
  const received: string[] = [];
  pubsub.subscribeToWakes({ wake: ({ turnId }) => received.push(turnId), missed: () => received.push('missed') });
  await waitUntil(() => pubsub.receivesWakes());

  await redis.kill();
  await waitUntil(() => !pubsub.receivesWakes());
  received.length = 0;
  await redis.start();
  await waitUntil(() => pubsub.receivesWakes());
  pubsub.publishToTurn({ kind: 'wake', turnId: 'turn_1' });

  expect(received[0]).toBe('missed');
  await pubsub.close();
});

test('Redis has a channel for the wakes of all turns, and a channel per streamed turn', async ({ skip }) => {
  await using redis = await openRedis();
  if (!redis) return skip('no redis-server on the PATH');
  const pubsub = openPubsub({ databaseUrl: '', redisUrl: redis.url });
  pubsub.subscribeToWakes({ wake: () => {}, missed: () => {} });
  await waitUntil(() => pubsub.receivesWakes());
  const channels = async () => (await redis.client.pubsub('CHANNELS', 'pawl:*')) as string[];

  const before = await channels();
  const leave = pubsub.subscribeToEvents('turn_1', () => {});
  await waitUntil(async () => (await channels()).length > 1);
  const during = await channels();
  leave();
  await waitUntil(async () => (await channels()).length === 1);

  expect(before).toEqual(['pawl:wakes:0']);
  expect(during.toSorted()).toEqual(['pawl:events:turn_1', 'pawl:wakes:0']);
  await pubsub.close();
});

type Pair = Awaited<ReturnType<typeof openPair>>;

/** Opens two processes: the first publishes, and the second subscribes. */
async function openPair(redis: boolean) {
  const urls = redis
    ? { databaseUrl: '', redisUrl: inject('redisUrl') ?? undefined }
    : { databaseUrl: await createTestDatabase() };
  const [publishing, subscribing] = [openPubsub(urls), openPubsub(urls)];
  return {
    ...{ ...subscribing, publishToTurn: publishing.publishToTurn },
    [Symbol.asyncDispose]: async () => void (await Promise.all([publishing.close(), subscribing.close()])),
  };
}

/**
 * Waits until all earlier subscriptions are confirmed: Redis confirms in order, so an event on the last proves the
 * others.
 */
async function untilSubscribed(pubsub: Pair): Promise<void> {
  const isReached = Promise.withResolvers<void>();
  pubsub.subscribeToEvents('turn_0', () => isReached.resolve());
  await waitUntil(() => pubsub.receivesWakes());
  const stop = repeat(() => pubsub.publishToTurn({ kind: 'event', turnId: 'turn_0', event }), 20);
  await isReached.promise;
  stop();
}

function receive(pubsub: Pair): string[] {
  const received: string[] = [];
  pubsub.subscribeToWakes({ wake: ({ turnId }) => received.push(turnId), missed: () => received.push('missed') });
  return received;
}
