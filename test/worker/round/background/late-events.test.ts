import { expect } from 'vitest';
import { letTimePass } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { answer, closeAll, loseWorker, paused, rowsOf, runUntilPaused, start, test } from './background-turns.ts';

test('an input that joins while a response is away is sent in the next round', async ({ harness }) => {
  const { id } = await start(harness, paused, { tools: [] });
  const { response, running } = await runUntilPaused(harness);
  await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: 'And in Kyoto?' } });
  await loseWorker(harness, id, running);
  harness.keptResponses.skipDelay(response);

  const working = harness.workUntilIdle();
  await waitUntil(() => harness.keptResponses.counts.creates === 2);
  for (const { id: kept } of harness.keptResponses.list()) harness.keptResponses.skipDelay(kept);
  await working;

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ number: 1 }, { number: 2 }] });
  expect(turn.rounds.map(({ input }) => input.length)).toEqual([0, 1]);
  expect(harness.keptResponses.counts.creates).toBe(2);
});

test('a turn that is cancelled while its response is created leaves no response', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const held = harness.holdModel(1);
  const running = harness.workOnce();
  await held.reached;
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  harness.worker.heartbeat.stop('cancelled', id);
  held.open();
  await running;
  const rows = await rowsOf(harness);

  await closeAll(harness);

  expect(rows).toMatchObject([{ state: 'open', turn_id: id }]);
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, cancels: 1, deletes: 1 });
  expect(harness.keptResponses.list()).toEqual([]);
});

test('a run that slept before its request lets another run ask', async ({ harness }) => {
  const { id } = await start(harness, { answer });
  const { heartbeat } = harness.worker;
  const sleeping = Promise.withResolvers<void>();
  const confirm = heartbeat.confirm;
  const woken = Promise.withResolvers<void>();
  heartbeat.confirm = async (lease) => {
    heartbeat.confirm = confirm;
    sleeping.resolve();
    await woken.promise;
    await heartbeat.beat('all');
    await confirm(lease);
  };
  const slept = harness.workOnce();
  await sleeping.promise;
  await letTimePass(harness, 20_000);
  woken.resolve();
  await slept;

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer });
  expect(harness.keptResponses.counts.creates).toBe(1);
});
