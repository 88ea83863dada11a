import { expect, test, vi } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { openLiveWorker } from '#test/world/live-worker.ts';
import { queueBackends } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';

const SOON = { timeout: 60_000 };

const locate = {
  name: 'locate_user',
  description: 'Tells where the user is.',
  execution: { kind: 'client' },
  expires_in_seconds: 10,
};

for (const { name, redis, skip } of queueBackends()) {
  test.skipIf(skip)(`${name}: a parked provider holds up no deadline, and no call that expires`, async () => {
    await using world = await createWorld({ redis });
    await using _worker = await openLiveWorker(world);
    const input = scripted({
      rounds: [{ tools: [{ name: 'locate_user', arguments: {}, id: 'call_where' }] }],
      answer: 'There.',
    });
    const waiting = await world.startTurn({ input, tools: [locate] });
    const statusOf = async (id: string) => (await world.findTurn(id)).status;
    await vi.waitFor(async () => expect(await statusOf(waiting.id)).toBe('requires_action'), SOON);

    const refused = { final: { fault: { kind: 'status' as const, status: 429, retry_after: 60 } }, answer: 'Never.' };
    await world.startTurn({ input: scripted(refused) });
    await vi.waitFor(() => expect(world.worker.parking.waitMs('openai')).toBeGreaterThan(0), SOON);
    const late = await world.startTurn({ input: 'Hi', limits: { deadline_seconds: 2 } });

    await vi.waitFor(async () => expect(await statusOf(late.id)).toBe('incomplete'), SOON);
    await vi.waitFor(async () => expect(await statusOf(waiting.id)).toBe('in_progress'), SOON);
  });
}
