import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { Ring } from '#core/turn/ring.ts';
import { queueBackends } from '#test/world/queues.ts';
import { testRedisUrl } from '#test/world/test-redis.ts';

const [onRedis] = queueBackends().filter(({ redis }) => redis);

test.skipIf(onRedis!.skip)(
  `${onRedis!.name}: a ring goes ahead of the acknowledgement of its job, on one connection`,
  async () => {
    await using redis = await watchScripts();
    await using bell = await openRedisBell();
    await bell.answer(
      ['turns-openai'],
      async ({ data }) => {
        if ('step' in data && data.step === 'r1') await bell.ringAhead([ringOf(data.turnId, 'b1')]);
      },
      4,
    );
    const turnId = newId('turn');

    await bell.ring([ringOf(turnId, 'r1')]);

    const inOrder = ['r1', 'b1', 'r1', 'b1'];
    await vi.waitFor(() => expect(redis.scriptsOf(turnId).map(({ job }) => job)).toEqual(inOrder), { timeout: 40_000 });
    const [, ring, acknowledgement] = redis.scriptsOf(turnId);
    expect(ring?.source).toBe(acknowledgement?.source);
  },
);

test.skipIf(onRedis!.skip)(
  `${onRedis!.name}: a ring ahead that is refused at once is told to its caller alone`,
  async () => {
    const bell = await openRedisBell();
    await bell.close();

    const { arrived } = await bell.ringAhead([ringOf(newId('turn'), 'r1')]);

    await expect(arrived).rejects.toThrow();
  },
);

async function openRedisBell() {
  const bell = await openBell({ databaseUrl: '', redisUrl: testRedisUrl() });
  return { ...bell, [Symbol.asyncDispose]: () => bell.close() };
}

function ringOf(turnId: string, step: string): Ring {
  return { kind: 'turn', turnId, step, number: 0, provider: 'openai', priority: 0 };
}

/** Hears every script that Redis runs: which job of a turn it names first, and who sent it. */
async function watchScripts() {
  const redis = new Redis(testRedisUrl());
  const monitor = await redis.monitor();
  const scripts: { text: string; source: string }[] = [];
  monitor.on('monitor', (_time: string, [command, ...args]: string[], source: string) => {
    if (command === 'eval' || command === 'evalsha') scripts.push({ text: args.join(' '), source });
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
