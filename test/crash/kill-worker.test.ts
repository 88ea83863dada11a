import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { describeQueues } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';
import { startProcess } from '#test/world/start-process.ts';
import { startWitness, type Witnessed } from './witness.ts';

function httpTool(url: string, name: string, effect: string) {
  const execution = { kind: 'http', url: `${url}/${name}` };
  return { name, description: 'Does something that is counted', execution, effect, timeout_ms: 60_000 };
}

const times = (calls: Witnessed[], path: string) => calls.filter((call) => call.path === path).length;

/** Longer than a model may be silent. */
const timeout = 480_000;

describeQueues(({ redis }) => {
  test('a worker killed in the middle of a batch: the other goes on, and nothing runs twice that must not', async () => {
    await using witness = await startWitness();
    await using world = await createWorld({ redis });
    const tools = ['book', 'slow', 'note'].map((name, place) =>
      httpTool(witness.url, name, ['at_most_once', 'at_most_once', 'idempotent'][place] ?? 'none'),
    );
    const calls = tools.map(({ name }) => ({ name, arguments: {} }));
    const script = scripted({ rounds: [{ say: 'Working.', tools: calls }], answer: 'All in all: {{results}}' });
    await using first = await startProcess('worker', world.env);

    const { id } = await world.startTurn({ input: script, tools });
    await witness.called('/slow');
    await first.said(/tool result ready: ok note/);
    await using second = await startProcess('worker', world.env);
    await first.kill('SIGKILL');
    await second.said(/turn finished/);

    const turn = await world.findTurn(id);
    const results = turn.rounds[0]?.results ?? [];
    expect(turn.status).toBe('completed');
    expect(results.map((result) => result.status)).toEqual(['success', 'error', 'success']);
    expect(results[1]?.error?.category).toBe('outcome_unknown');
    expect([times(witness.calls, '/book'), times(witness.calls, '/slow'), times(witness.calls, '/note')]).toEqual([
      1, 1, 1,
    ]);
    expect(turn.rounds).toHaveLength(2);
    witness.release();
  });

  test('a worker killed while the model thinks: the round is asked again and stored once', { timeout }, async () => {
    await using world = await createWorld({ redis });
    const fault = { kind: 'hang' as const, after_chars: 4, times: 1 };
    const script = scripted({ rounds: [], answer: 'Here I am.', final: { fault } });
    await using first = await startProcess('worker', world.env);

    const { id } = await world.startTurn({ input: script });
    await first.said(/round 1 starting/);
    await using second = await startProcess('worker', world.env);
    await first.kill('SIGKILL');
    await second.said(/turn finished/);

    const turn = await world.findTurn(id);
    expect(turn).toMatchObject({ status: 'completed', output: 'Here I am.', rounds: [{ number: 1 }] });
    // Twice; a third time only where the queue delivers the dead worker's job before the rescuer comes: the script counts tries
    // by their generation, and hangs up that one too.
    expect([2, 3]).toContain(turn.rounds[0]?.attempts);
    expect([2, 3]).toContain(world.asked.length);
    const numbers = (await world.listEvents(id)).map((event) => event.sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test('a worker told to stop hands its step back, and another starts it at once', async () => {
    await using world = await createWorld({ redis, env: { PAWL_SHUTDOWN_GRACE_MS: '100' } });
    const fault = { kind: 'hang' as const, times: 1 };
    const script = scripted({ rounds: [], answer: 'Here I am.', final: { fault } });
    await using first = await startProcess('worker', world.env);

    const { id } = await world.startTurn({ input: script });
    await first.said(/round 1 starting/);
    await using second = await startProcess('worker', world.env);
    const code = await first.kill('SIGTERM');
    await second.said(/turn finished/);

    expect(code).toBe(0);
    expect(await world.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  });
});
