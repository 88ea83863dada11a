import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openBell } from '#core/queue/open-bell.ts';
import type { Ring } from '#core/turn/ring.ts';
import { newFolder } from '#test/world/new-folder.ts';
import { openSitePostgres } from '../../chaos/site/site-postgres.ts';

function ringOf(turnId: string): Ring {
  return { kind: 'turn', turnId, step: 'b1', number: 0, provider: 'openai', priority: 0 };
}

test('a worker that had a job at hand while the database was away takes jobs again once it is back', {
  timeout: 120_000,
}, async () => {
  await using folder = await newFolder('queue');
  await using postgres = await openSitePostgres(folder.path);
  const bell = await openBell({ databaseUrl: postgres.url });
  const heard: string[] = [];
  const atHand = Promise.withResolvers<void>();
  const answering = await bell.answer(
    ['turns-openai'],
    async ({ data }) => {
      heard.push('turnId' in data ? data.turnId : '');
      if (heard.length === 1) await atHand.promise;
    },
    1,
  );

  await bell.ring([ringOf('at-hand')]);
  await vi.waitFor(() => expect(heard).toEqual(['at-hand']), { timeout: 30_000 });
  await postgres.crash();
  atHand.resolve();
  // Long enough for the worker to tell that its job is done, and to find nobody there.
  await sleep(1_500);
  await postgres.start();
  await vi.waitFor(() => bell.ring([ringOf('next')]), { timeout: 30_000, interval: 200 });

  await vi.waitFor(() => expect(heard).toContain('next'), { timeout: 20_000 });
  await answering.close(1_000);
  await bell.close();
});
