import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openToolRecorder, type RecordedCall } from '../../harness/servers/tool-recorder.ts';

function httpTool(url: string, name: string, effect: string) {
  const execution = { kind: 'http', url: `${url}/${name}` };
  return { name, description: 'Does something that is counted', execution, effect, timeout_ms: 60_000 };
}

const times = (calls: RecordedCall[], tool: string) => calls.filter((call) => call.tool === tool).length;

/** The timeout of a test. It is longer than a model may be silent. */
const timeout = 480_000;

describeQueues(({ redis }) => {
  test('a worker killed in a batch is replaced, and at_most_once calls run once', async () => {
    await using recorder = await openToolRecorder();
    await using harness = await createHarness({ redis });
    const tools = ['book', 'slow', 'note'].map((name, index) =>
      httpTool(recorder.url, name, ['at_most_once', 'at_most_once', 'idempotent'][index] ?? 'none'),
    );
    const calls = tools.map(({ name }) => ({ name, arguments: {} }));
    const script = scripted({ rounds: [{ say: 'Working.', tools: calls }], answer: 'All in all: {{results}}' });
    await using first = await startProcess('worker', harness.env);

    const { id } = await harness.startTurn({ input: script, tools });
    await recorder.called('slow');
    await untilLogged(first, 'tool_result.saved', { tool: 'note' });
    await using second = await startProcess('worker', harness.env);
    await first.kill('SIGKILL');
    await untilLogged(second, 'turn.ended');

    const turn = await harness.findTurn(id);
    const results = turn.rounds[0]?.results ?? [];
    expect(turn.status).toBe('completed');
    expect(results.map((result) => result.status)).toEqual(['success', 'error', 'success']);
    expect(results[1]?.error?.category).toBe('outcome_unknown');
    expect([times(recorder.calls, 'book'), times(recorder.calls, 'slow'), times(recorder.calls, 'note')]).toEqual([
      1, 1, 1,
    ]);
    expect(turn.rounds).toHaveLength(2);
    recorder.release();
  });

  test('a worker killed while the model thinks has its round repeated and saved once', { timeout }, async () => {
    await using harness = await createHarness({ redis });
    const fault = { kind: 'hang' as const, after_chars: 4, times: 1 };
    const script = scripted({ rounds: [], answer: 'Here I am.', final: { fault } });
    await using first = await startProcess('worker', harness.env);

    const { id } = await harness.startTurn({ input: script });
    // The script hangs in the first request that the model receives.
    await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
    await using second = await startProcess('worker', harness.env);
    await first.kill('SIGKILL');
    await untilLogged(second, 'turn.ended');

    const turn = await harness.findTurn(id);
    expect(turn).toMatchObject({ status: 'completed', output: 'Here I am.', rounds: [{ number: 1 }] });
    // The third attempt happens only if the queue delivers the dead worker's job before the rescue. The script counts
    // attempts by generation, and hangs in that attempt too.
    expect([2, 3]).toContain(turn.rounds[0]?.attempts);
    expect([2, 3]).toContain(harness.modelRequests.length);
    const numbers = (await harness.listEvents(id)).map((event) => event.sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test('a stopping worker hands its step back, and another worker starts it at once', async () => {
    await using harness = await createHarness({ redis, env: { PAWL_SHUTDOWN_GRACE_MS: '100' } });
    const fault = { kind: 'hang' as const, times: 1 };
    const script = scripted({ rounds: [], answer: 'Here I am.', final: { fault } });
    await using first = await startProcess('worker', harness.env);

    const { id } = await harness.startTurn({ input: script });
    // The script hangs in the first request that the model receives.
    await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
    await using second = await startProcess('worker', harness.env);
    const code = await first.kill('SIGTERM');
    await untilLogged(second, 'turn.ended');

    expect(code).toBe(0);
    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  });
});
