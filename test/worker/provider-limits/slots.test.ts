import { expect, test } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openLimits, secondWorker, startTurns, statusesOf } from './open-limits.ts';

const atOnce = (concurrency: number) => ({ 'openai/*': { concurrency } });

/** Lets two workers take this number of jobs together. */
function workAtOnce(harness: Harness, jobs: number) {
  const other = secondWorker(harness);
  let left = jobs;
  const working = Array.from({ length: jobs }, (_, nth) =>
    (nth % 2 ? harness.workOnce() : harness.workOnce(other)).finally(() => {
      left -= 1;
    }),
  );
  return {
    over: Promise.all(working),
    /** Resolves when all but this number of jobs have ended, and this number of requests was made in all. */
    untilHeld: (held: number, requests: number) =>
      waitUntil(() => left === held && harness.modelRequests.length === requests),
  };
}

test('two workers never ask more rounds at once than the limit allows', async () => {
  await using harness = await openLimits(atOnce(2));
  const turns = await startTurns(harness, 5);

  for (const { jobs, requests, held } of [
    { jobs: 5, requests: 2, held: 2 },
    { jobs: 2, requests: 4, held: 2 },
    { jobs: 1, requests: 5, held: 1 },
  ]) {
    const gate = harness.holdModel();
    const working = workAtOnce(harness, jobs);
    await working.untilHeld(held, requests);
    await harness.wakeWaiting();
    const isWoken = await harness.workOnce();
    gate.open();
    await working.over;
    await harness.wakeWaiting();

    expect(isWoken).toBe(false);
    expect(harness.modelRequests).toHaveLength(requests);
  }

  expect(await statusesOf(harness, turns)).toEqual(Array(5).fill('completed'));
});

test('a worker that is killed frees its slot when its lease ends', async () => {
  await using harness = await openLimits(atOnce(1));
  const [killed, next] = await startTurns(harness, 2);
  const held = harness.holdModel(1);
  const dying = harness.workOnce();
  await held.reached;
  await harness.workUntilIdle();

  await harness.advance(5_000);
  await harness.wakeWaiting();
  await harness.workUntilIdle();
  const whileLeased = await statusesOf(harness, [next!]);
  await harness.advance(1_500);
  await harness.wakeWaiting();
  await harness.workUntilIdle();
  const afterwards = await statusesOf(harness, [next!]);
  held.open();
  await dying;

  expect([whileLeased, afterwards]).toEqual([['in_progress'], ['completed']]);
  expect(await statusesOf(harness, [killed!])).toEqual(['completed']);
});

test('a slot is free while tools run, and each round of a tool loop takes a slot again', async () => {
  await using harness = await openLimits(atOnce(1));
  const input = scripted({
    rounds: [1, 2, 3].map((nth) => ({ tools: [{ name: 'weather_lookup', arguments: { city: `City ${nth}` } }] })),
  });
  const [looping] = await startTurns(harness, 1, { input, tools: ['weather_lookup'] });
  await harness.workOnce();
  const [other] = await startTurns(harness, 1);
  await harness.workUntilIdle();

  expect(await statusesOf(harness, [looping!, other!])).toEqual(['completed', 'completed']);
  expect(harness.modelRequests).toHaveLength(5);
  expect((await harness.findTurn(looping!.id)).rounds).toHaveLength(4);
});

test('a later round takes its lease before its request, and holds the slot with it', async () => {
  await using harness = await openLimits(atOnce(1));
  const input = scripted({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }] });
  const [looping] = await startTurns(harness, 1, { input, tools: ['weather_lookup'] });
  await harness.workOnce();
  await harness.workOnce();
  const held = harness.holdModel(1);
  const working = harness.workOnce();
  await held.reached;
  const [other] = await startTurns(harness, 1);
  await harness.workUntilIdle();

  const whileHeld = [harness.modelRequests.length, ...(await statusesOf(harness, [other!]))];
  held.open();
  await working;
  await harness.wakeWaiting();
  await harness.workUntilIdle();

  expect(whileHeld).toEqual([2, 'in_progress']);
  expect(await statusesOf(harness, [looping!, other!])).toEqual(['completed', 'completed']);
});

test('a turn that is cancelled during its model request frees its slot', async () => {
  await using harness = await openLimits(atOnce(1));
  const [first, second] = await startTurns(harness, 2);
  const held = harness.holdModel(1);
  const working = harness.workOnce();
  await held.reached;
  await harness.workUntilIdle();

  await harness.call('POST', `/v1/turns/${first!.id}/cancel`);
  await harness.wakeWaiting();
  await harness.workUntilIdle();
  held.open();
  await working;

  expect(await statusesOf(harness, [first!, second!])).toEqual(['cancelled', 'completed']);
});

test('a round that fails frees its slot while it waits for its next attempt', async () => {
  await using harness = await openLimits(atOnce(1));
  const failing = scripted({ final: { fault: { kind: 'status', status: 503, retry_after: 60, times: 1 } } });
  const [first] = await startTurns(harness, 1, { input: failing });
  await harness.workUntilIdle();
  const [second] = await startTurns(harness, 1);
  await harness.workUntilIdle();

  expect(await statusesOf(harness, [second!])).toEqual(['completed']);
  expect(await harness.findTurn(first!.id)).toMatchObject({ waiting: { for: 'retry' } });
});
