import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { describeQueues } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';
import { startProcess } from '#test/world/start-process.ts';

describeQueues(({ redis }) => {
  test('all workers are replaced under load and no round is asked twice', async () => {
    await using world = await createWorld({ redis });
    const call = { name: 'note_visit', arguments: { city: 'Rome' } };
    const rounds = Array.from({ length: 5 }, () => ({ tools: [call], think_ms: 300 }));
    const input = scripted({ rounds, answer: 'There and back.' });
    const old = [await startProcess('worker', world.env), await startProcess('worker', world.env)];
    await using first = await startProcess('worker', world.env);
    await using second = await startProcess('worker', world.env);

    const start = () => world.startTurn({ input, tools: ['note_visit'] });
    const started = await Promise.all(Array.from({ length: 12 }, start));
    const codes = [await old[0]?.kill('SIGTERM')];
    codes.push(await old[1]?.kill('SIGTERM'));
    const turns = await Promise.all(started.map(({ id }) => world.untilEnded(id)));

    expect(codes).toEqual([0, 0]);
    expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
    expect(turns.flatMap((turn) => turn.rounds.map(({ attempts }) => attempts))).toEqual(Array(72).fill(1));
    expect(world.asked).toHaveLength(72);
    expect([first, second].some(({ lines }) => lines.some(({ msg }) => /turn finished/.test(msg)))).toBe(true);
  });
});
