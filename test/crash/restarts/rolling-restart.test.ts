import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { linesOf } from '#test/harness/until-logged.ts';

describeQueues(({ redis }) => {
  test('a replacement of all workers under load repeats no round', async () => {
    await using harness = await createHarness({ redis });
    const call = { name: 'note_visit', arguments: { city: 'Rome' } };
    const rounds = Array.from({ length: 5 }, () => ({ tools: [call], think_ms: 300 }));
    const input = scripted({ rounds, answer: 'There and back.' });
    const old = [await startProcess('worker', harness.env), await startProcess('worker', harness.env)];
    await using first = await startProcess('worker', harness.env);
    await using second = await startProcess('worker', harness.env);

    const start = () => harness.startTurn({ input, tools: ['note_visit'] });
    const started = await Promise.all(Array.from({ length: 12 }, start));
    const codes = [await old[0]?.kill('SIGTERM')];
    codes.push(await old[1]?.kill('SIGTERM'));
    const turns = await Promise.all(started.map(({ id }) => harness.untilEnded(id)));

    expect(codes).toEqual([0, 0]);
    expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
    expect(turns.flatMap((turn) => turn.rounds.map(({ attempts }) => attempts))).toEqual(Array(72).fill(1));
    expect(harness.modelRequests).toHaveLength(72);
    expect([first, second].flatMap((worker) => linesOf(worker, 'turn.ended')).length).toBeGreaterThan(0);
  });
});
