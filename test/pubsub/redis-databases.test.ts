import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { describeOnRedis } from '#test/harness/queues.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';

describeOnRedis(() => {
  test('workers are told nothing of another database of the same server', async () => {
    const arrivals = new EventEmitter();
    const received: string[] = [];
    const open = () => openPubsub({ databaseUrl: '', redisUrl: testRedisUrl() });
    const [one, other] = [open(), open()];
    one.subscribeToWorkers((message) => {
      received.push(message.kind);
      arrivals.emit('arrival');
    });

    const repeated = setInterval(() => {
      other.publishToWorkers({ kind: 'cancelled', turnId: 'turn_1' });
      one.publishToWorkers({ kind: 'watched', turnId: 'turn_1' });
    }, 10);
    await once(arrivals, 'arrival');
    clearInterval(repeated);
    await Promise.all([one.close(), other.close()]);

    expect(new Set(received)).toEqual(new Set(['watched']));
  });
});
