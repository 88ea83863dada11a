import { expect, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import type { Bell } from '#core/queue/bell.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { Ring } from '#core/turn/ring.ts';
import { describeQueues } from '#test/world/queues.ts';
import { createTestDatabase } from '#test/world/test-database.ts';
import { testRedisUrl } from '#test/world/test-redis.ts';
import type { Link } from '../../chaos/proxy/link.ts';
import { openLink } from '../../chaos/proxy/open-link.ts';

const ALL = ['turns-openai', 'anytime', 'deliveries'];
const SOON = { timeout: 40_000, interval: 200 };

/** A bell that reaches its queue over a link which is cut; `link` can let it through. */
async function openCutOffBell(redis: boolean): Promise<{ bell: Bell; link: Link } & AsyncDisposable> {
  const databaseUrl = new URL(await createTestDatabase());
  const redisUrl = redis ? new URL(testRedisUrl()) : null;
  const target = redisUrl ?? databaseUrl;
  const link = await openLink(Number(target.port));
  target.port = String(link.port);
  link.setMode('cut');
  const bell = await openBell({ databaseUrl: databaseUrl.href, redisUrl: redisUrl?.href });
  const close = async () => {
    await bell.close();
    await link[Symbol.asyncDispose]();
  };
  return { bell, link, [Symbol.asyncDispose]: close };
}

function ringOf(step: string): Ring {
  return { kind: 'turn', turnId: newId('turn'), step, number: 0, provider: 'openai', priority: 0 };
}

describeQueues(({ redis }) => {
  test('a queue whose first ring fell into an outage is rung once it is back', async () => {
    await using world = await openCutOffBell(redis);
    const ring = ringOf('r1');

    await expect(world.bell.ring([ring])).rejects.toThrow();
    world.link.setMode('pass');
    await vi.waitFor(() => world.bell.ring([ring]), SOON);

    expect(await world.bell.answerOnce(ALL, async () => {})).toBe(true);
  });

  test('a worker that starts while its queue is away answers once it is back', { timeout: 120_000 }, async () => {
    await using world = await openCutOffBell(redis);
    const heard: string[] = [];

    const answering = await world.bell.answer(ALL, async ({ name }) => void heard.push(name), 4);
    world.link.setMode('pass');
    await vi.waitFor(() => world.bell.ring([ringOf('r1'), ringOf('b1')]), SOON);

    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['run-round', 'run-tool-batch']), { timeout: 60_000 });
    await answering.close(1_000);
  });
});
