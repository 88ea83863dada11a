import { expect } from 'vitest';
import { letTimePass } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import {
  answer,
  closeAll,
  loseWorker,
  openBackground,
  paused,
  rowsOf,
  runUntilPaused,
  start,
  test,
} from './background-turns.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };

test('each round creates one response, which is deleted after the commit', async ({ harness }) => {
  const { id } = await start(harness, { rounds: [{ tools: [look] }], answer });

  await harness.workUntilIdle();
  await closeAll(harness, 1);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer, usage: { llm_calls: 2 } });
  expect(harness.modelRequests.map(({ sent }) => sent)).toMatchObject([
    { background: true, store: true, stream: true },
    { background: true, store: true, stream: true },
  ]);
  expect(harness.keptResponses.counts).toEqual({ creates: 2, reads: 0, streams: 0, cancels: 0, deletes: 2 });
  expect(harness.keptResponses.list()).toEqual([]);
  expect(await rowsOf(harness)).toEqual([]);
});

test('a round that lost its worker follows the same response', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  await loseWorker(harness, id, running);
  const following = harness.workOnce();
  await waitUntil(() => harness.keptResponses.counts.streams === 1);

  harness.keptResponses.skipDelay(response);
  await following;
  await closeAll(harness, 1);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 2 }] });
  expect(harness.keptResponses.counts).toEqual({ creates: 1, reads: 1, streams: 1, cancels: 0, deletes: 1 });
});

test('a round whose response ended without a worker reads it', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  await loseWorker(harness, id, running);
  harness.keptResponses.skipDelay(response);

  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, reads: 1, streams: 0 });
});

test('a stalled run and its successor follow one response', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  await harness.advance(20_000);
  await harness.rescue();
  const following = harness.workOnce();
  await waitUntil(() => harness.keptResponses.counts.streams === 1);

  harness.keptResponses.skipDelay(response);
  await Promise.all([running, following]);
  await closeAll(harness, 1);

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: answer, usage: { llm_calls: 1 } });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, cancels: 0, deletes: 1 });
});

test('jobs that are delivered several times create one response for each round', async ({ harness }) => {
  const { id } = await start(harness, { rounds: [{ tools: [look] }], answer });

  await harness.workUntilIdle({ deliveries: 3 });

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer });
  expect(harness.keptResponses.counts.creates).toBe(2);
});

test('a broken stream continues after its last event', async ({ harness }) => {
  const fault = { kind: 'cut', after_chars: 8 };
  const { id } = await start(harness, { answer, piece_chars: 4, final: { fault } });

  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 1 }] });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, streams: 0, reads: 1 });
});

test('a worker that stops for a deploy leaves its response to the next worker', async ({ harness }) => {
  const { id } = await start(harness, paused);
  const { response, running } = await runUntilPaused(harness);
  await using next = await openBackground({ OPENAI_BASE_URL: harness.env.OPENAI_BASE_URL }, { beside: harness });
  harness.worker.heartbeat.stop('shutdown', id);
  await running;
  harness.keptResponses.skipDelay(response);

  await letTimePass(next);

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: answer, usage: { llm_calls: 1 } });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1 });
});
