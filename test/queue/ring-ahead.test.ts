import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { Ring } from '#core/turn/ring.ts';
import { queueBackends } from '#test/world/queues.ts';
import { testRedisUrl } from '#test/world/test-redis.ts';

const hasRedis = queueBackends().some(({ redis, skip }) => redis && !skip);

test.runIf(hasRedis)('on Redis a ring goes ahead of the acknowledgement of its job, on one connection', async () => {
  await using redis = await watchScripts();
  const bell = await openBell({ databaseUrl: '', redisUrl: testRedisUrl() });
  const answering = await bell.answer(
    ['turns-openai'],
    async ({ data }) => {
      if ('step' in data && data.step === 'r1') await bell.ringAhead([ringOf(data.turnId, 'b1')]);
    },
    4,
  );
  const play = async (turnId: string) => {
    await bell.ring([ringOf(turnId, 'r1')]);
    await vi.waitFor(() => expect(redis.scriptsOf(turnId).map(({ job }) => job)).toEqual(['r1', 'b1', 'r1', 'b1']));
    return redis.scriptsOf(turnId);
  };

  // A Redis that does not know a script yet asks for its text, and so gets it later.
  await play(newId('turn')).catch(() => {});
  const [, ring, acknowledgement] = await play(newId('turn'));

  expect(ring?.source).toBe(acknowledgement?.source);
  await answering.close(1_000);
  await bell.close();
});

function ringOf(turnId: string, step: string): Ring {
  return { kind: 'turn', turnId, step, number: 0, provider: 'openai', priority: 0 };
}

/** Hears every script that Redis runs: which job of a turn it names first, and who sent it. */
async function watchScripts() {
  const redis = new Redis(testRedisUrl());
  const monitor = await redis.monitor();
  const scripts: { text: string; source: string }[] = [];
  monitor.on('monitor', (_time: string, [command, ...args]: string[], source: string) => {
    if (command === 'evalsha') scripts.push({ text: args.join(' '), source });
  });
  return {
    scriptsOf: (turnId: string) =>
      scripts.flatMap(({ text, source }) => {
        const job = text.match(new RegExp(`${turnId}-(\\w+)-0`))?.[1];
        return job ? [{ job, source }] : [];
      }),
    [Symbol.asyncDispose]: async () => {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}
