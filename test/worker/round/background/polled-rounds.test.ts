import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { answer, closeAll, HOUR_MS, openBackground, pollOnce, start, test } from './background-turns.ts';

const queued = (more = {}) => ({ answer, final: { background: { queued_ms: HOUR_MS, stream: false, ...more } } });

/** Runs a turn until it polls its response. Returns the id of the turn, and the id of the response. */
async function runUntilPolling(harness: Harness, script = queued(), more = {}) {
  harness.keptResponses.limits.streamWindowMs = 0;
  const { id } = await start(harness, script, more);
  await harness.workUntilIdle();
  return { id, response: harness.keptResponses.list()[0]!.id };
}

test('a round without a stream polls, without a slot and an attempt', async () => {
  await using harness = await openBackground({ PAWL_MODEL_IDLE_TIMEOUT_MS: '200' });
  const { id, response } = await runUntilPolling(harness);
  const waiting = await harness.findTurn(id);
  await pollOnce(harness);
  await pollOnce(harness);
  const reads = harness.keptResponses.counts.reads;

  harness.keptResponses.skipDelay(response);
  await pollOnce(harness);
  await closeAll(harness, 1);

  expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider', until: expect.any(String) } });
  expect(reads).toBe(2);
  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: answer, rounds: [{ attempts: 1 }] });
  expect(turn.usage.llm_calls).toBe(1);
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, streams: 0, cancels: 0, deletes: 1 });
});
