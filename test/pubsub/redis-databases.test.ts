import { expect, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { describeOnRedis } from '#test/harness/queues.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

describeOnRedis(() => {
  test('workers receive no messages of another database on the same server', async () => {
    const received: string[] = [];
    const open = () => openPubsub({ databaseUrl: '', redisUrl: testRedisUrl() });
    const [one, other] = [open(), open()];
    one.subscribeToWorkers((message) => received.push(message.kind));

    await waitUntil(() => {
      other.publishToWorkers({ kind: 'cancelled', turnId: 'turn_1' });
      one.publishToWorkers({ kind: 'watched', turnId: 'turn_1' });
      expect(received).not.toEqual([]);
    });
    await Promise.all([one.close(), other.close()]);

    expect(new Set(received)).toEqual(new Set(['watched']));
  });
});
