import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { linesOf, untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openToolRecorder } from '../../harness/servers/tool-recorder.ts';

/** Returns all stored columns of a turn except times. */
async function stored(harness: Harness, id: string) {
  const turn = await harness.findTurn(id);
  const events = (await harness.listEvents(id)).map(({ type, sequence_number }) => `${sequence_number} ${type}`);
  return { turn, events };
}

describeQueues(({ redis }) => {
  test('a worker that was stopped for longer than its lease wakes and changes no row', async () => {
    await using recorder = await openToolRecorder();
    await using harness = await createHarness({ redis });
    const execution = { kind: 'http', url: `${recorder.url}/slow` };
    const book = { name: 'book', description: 'Books it, once', execution, timeout_ms: 60_000 };
    const batch = scripted({ rounds: [{ tools: [{ name: 'book' }] }], answer: 'After the batch.' });
    const round = scripted({
      answer: 'After the round.',
      final: { fault: { kind: 'hang', after_chars: 3, times: 1 } },
    });
    const zombie = await startProcess('worker', harness.env);

    const [called, asked] = [
      await harness.startTurn({ input: batch, tools: [book] }),
      await harness.startTurn({ input: round }),
    ];
    await recorder.called('slow');
    await waitUntil(() => expect(harness.modelRequests).toHaveLength(2));
    process.kill(zombie.pid, 'SIGSTOP');
    await using second = await startProcess('worker', harness.env);
    const finished = () => linesOf(second, 'turn.ended');
    await waitUntil(() => expect(finished()).toHaveLength(2));
    const before = [await stored(harness, called.id), await stored(harness, asked.id)];
    process.kill(zombie.pid, 'SIGCONT');
    recorder.release();
    await Promise.race(['tool_result.dropped', 'step.lost'].map((event) => untilLogged(zombie, event)));
    await zombie.kill('SIGTERM');

    expect([await stored(harness, called.id), await stored(harness, asked.id)]).toEqual(before);
    expect(before.map(({ turn }) => turn.output)).toEqual(['After the batch.', 'After the round.']);
    expect(before[0]?.turn.rounds[0]?.results[0]?.error?.category).toBe('outcome_unknown');
    expect(recorder.calls).toHaveLength(1);
  });
});
