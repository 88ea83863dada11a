import { expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { makeGate } from '#test/harness/gate.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/**
 * An installation in the middle of its work: a requested model, a called tool, a turn that waits for a client, an
 * ended turn.
 */
export type UnderWay = AsyncDisposable & {
  /** Ends the worker as a crash would. Its begun work stays begun. */
  killWorker(): Promise<unknown>;
  /** Starts an API and a worker on a restored database, and expects all work to end as usual. */
  expectToGoOn(restored: string): Promise<void>;
};

const clientTool = { name: 'ask_person', description: 'Asks a person who is not here', parameters: { type: 'object' } };

/** Starts turns on a database. Resolves when each turn has reached its state for the backup. */
export async function startWork(database: string, { redis }: { redis: boolean }): Promise<UnderWay> {
  await using opened = new AsyncDisposableStack();
  const recorder = opened.use(await openToolRecorder());
  const gate = makeGate();
  const simulator = await startSimulator({ onRequest: gate.pass });
  opened.defer(() => simulator.stop());
  const given = { DATABASE_URL: database, OPENAI_BASE_URL: simulator.baseUrl };
  const harness = opened.use(await createHarness({ redis, env: given }));
  const worker = opened.use(await startProcess('worker', harness.env));

  const done = await harness.startTurn({ input: scripted({ rounds: [], answer: 'Done before.' }) });
  await harness.untilEnded(done.id);
  const held = gate.close(1);
  const asked = await harness.startTurn({ input: scripted({ rounds: [{ say: 'Here I am.' }] }) });
  await held.reached;
  const waits = await harness.startTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'ask_person', arguments: {} }] }], answer: 'They said {{results}}' }),
    tools: [clientTool],
  });
  await waitUntil(async () => expect((await harness.findTurn(waits.id)).status).toBe('requires_action'));
  const execution = { kind: 'http', url: `${recorder.url}/slow` };
  const called = await harness.startTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'book', arguments: {} }] }], answer: 'I cannot say.' }),
    tools: [
      { name: 'book', description: 'Books what is counted', execution, effect: 'at_most_once', timeout_ms: 600_000 },
    ],
  });
  await recorder.called('slow');

  const { env } = harness;
  const resources = opened.move();
  return {
    killWorker: () => worker.kill('SIGKILL'),
    expectToGoOn: async (restored) => {
      await using api = await startProcess('api', { ...env, DATABASE_URL: restored });
      await using second = await startProcess('worker', { ...env, DATABASE_URL: restored });
      const { url } = await untilLogged(api, 'process.ready');
      const client = apiClient(String(url));
      const [{ id: callId } = { id: '' }] = (await client.findTurn(waits.id)).rounds[0]?.tool_calls ?? [];
      await client.call('POST', `/v1/turns/${waits.id}/tool_outputs`, {
        body: { tool_outputs: [{ tool_call_id: callId, output: 'yes' }] },
      });

      expect(await client.findTurn(done.id)).toMatchObject({ status: 'completed', output: 'Done before.' });
      expect(await client.untilEnded(asked.id)).toMatchObject({ status: 'completed', output: 'Here I am.' });
      expect(await client.untilEnded(waits.id)).toMatchObject({ status: 'completed' });
      const booked = await client.untilEnded(called.id);
      expect(booked).toMatchObject({ status: 'completed', output: 'I cannot say.' });
      expect(booked.rounds[0]?.results[0]?.error?.category, 'claimed before the backup').toBe('outcome_unknown');
      expect(recorder.calls).toHaveLength(1);
      expect(second.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
