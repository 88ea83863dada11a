import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { wrongClock } from '#test/harness/parts/wrong-clock.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openToolRecorder } from '../../harness/servers/tool-recorder.ts';

const HOUR_MS = 3_600_000;

describeQueues(({ redis }) => {
  test('workers with clocks an hour off retry no step early and make no call twice', async () => {
    await using recorder = await openToolRecorder();
    await using harness = await createHarness({ redis });
    const execution = { kind: 'http', url: `${recorder.url}/book` };
    const book = { name: 'book', description: 'Books it, once', execution };
    const fault = { kind: 'status' as const, status: 503, retry_after: 2, times: 1 };
    const input = scripted({ rounds: [{ tools: [{ name: 'book' }], fault }], answer: 'Booked.' });
    await using _ahead = await startProcess('worker', { ...harness.env, ...wrongClock(HOUR_MS) });
    await using _behind = await startProcess('worker', { ...harness.env, ...wrongClock(-HOUR_MS) });

    const started = await Promise.all(Array.from({ length: 6 }, () => harness.startTurn({ input, tools: [book] })));
    const turns = await Promise.all(started.map(({ id }) => harness.untilEnded(id)));

    expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
    expect(turns.map(({ rounds }) => rounds[0]?.results[0]?.status)).toEqual(started.map(() => 'success'));
    expect(new Set(recorder.calls.map(({ key }) => key)).size).toBe(recorder.calls.length);
    for (const { id } of started) {
      const events = await harness.listEvents(id);
      const [retrying, replied] = ['step.retrying', 'round.completed'].map((type) =>
        Date.parse(String(events.find((event) => event.type === type)?.created_at)),
      );
      expect((replied ?? 0) - (retrying ?? 0)).toBeGreaterThan(900);
    }
  });
});
