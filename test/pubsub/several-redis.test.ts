import { expect, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { openSeveralRedis } from '#test/harness/stores/redis/open-several-redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('a message on several Redis arrives once, even if its own Redis is unavailable', async ({ skip }) => {
  await using redises = await openSeveralRedis(3);
  if (!redises) return skip('no redis-server on the PATH');
  const [first, second] = redises.servers;
  const urls = { databaseUrl: '', redisUrl: redises.url };
  const [publishing, subscribing] = [openPubsub(urls), openPubsub(urls)];
  const received: string[] = [];
  subscribing.subscribeToWorkers((message) => received.push('turnId' in message ? message.turnId : message.kind));
  subscribing.subscribeToWakes({ wake: ({ turnId }) => received.push(turnId), missed: () => received.push('missed') });
  let tries = 0;
  const arriveOnce = async () => {
    const batches: string[][] = [];
    const sent = await waitUntil(() => {
      tries += 1;
      const turnIds = Array.from({ length: 12 }, (_, index) => `turn_${tries}-${index}`);
      for (const turnId of turnIds) publishing.publishToWorkers({ kind: 'cancelled', turnId });
      batches.push(turnIds);
      // Some of the first batches may be lost with a connection.
      return batches.find((batch) => batch.every((turnId) => received.includes(turnId))) ?? false;
    });
    expect(received.filter((turnId) => sent.includes(turnId)).toSorted()).toEqual(sent.toSorted());
  };

  await arriveOnce();
  await second!.kill();
  await arriveOnce();
  received.length = 0;
  await second!.start();
  // Messages that were published there during the outage may be lost.
  await waitUntil(() => expect(received).toContain('missed'));
  await first!.kill();
  await arriveOnce();

  await Promise.all([publishing.close(), subscribing.close()]);
});
