import { expect, test, vi } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { describeQueues } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';
import { startProcess } from '#test/world/start-process.ts';
import { startWitness } from './witness.ts';

const SOON = { timeout: 60_000, interval: 50 };

/** All that is stored of a turn but when things happened by the clock. */
async function stored(world: World, id: string) {
  const turn = await world.findTurn(id);
  const events = (await world.listEvents(id)).map(({ type, sequence_number }) => `${sequence_number} ${type}`);
  return { turn, events };
}

describeQueues(({ redis }) => {
  test('a worker that was stopped for longer than its lease wakes up and changes nothing', async () => {
    await using witness = await startWitness();
    await using world = await createWorld({ redis });
    const execution = { kind: 'http', url: `${witness.url}/slow` };
    const book = { name: 'book', description: 'Books it, once', execution, timeout_ms: 60_000 };
    const batch = scripted({ rounds: [{ tools: [{ name: 'book' }] }], answer: 'After the batch.' });
    const round = scripted({
      answer: 'After the round.',
      final: { fault: { kind: 'hang', after_chars: 3, times: 1 } },
    });
    const zombie = await startProcess('worker', world.env);

    const [called, asked] = [
      await world.startTurn({ input: batch, tools: [book] }),
      await world.startTurn({ input: round }),
    ];
    await witness.called('/slow');
    await vi.waitFor(() => expect(world.asked).toHaveLength(2), SOON);
    process.kill(zombie.pid, 'SIGSTOP');
    await using second = await startProcess('worker', world.env);
    const finished = () => second.lines.filter(({ msg }) => /turn finished/.test(msg));
    await vi.waitFor(() => expect(finished()).toHaveLength(2), SOON);
    const before = [await stored(world, called.id), await stored(world, asked.id)];
    process.kill(zombie.pid, 'SIGCONT');
    witness.release();
    await zombie.said(/late tool result|step lost/);
    await zombie.kill('SIGTERM');

    expect([await stored(world, called.id), await stored(world, asked.id)]).toEqual(before);
    expect(before.map(({ turn }) => turn.output)).toEqual(['After the batch.', 'After the round.']);
    expect(before[0]?.turn.rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
    expect(witness.calls).toHaveLength(1);
  });
});
