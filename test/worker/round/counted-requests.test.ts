import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createHarness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const failing = (fault: object) => scripted({ answer: 'At last.', final: { fault: fault as never } });
const weather = { tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] };

test('failed requests are counted once each, and a reverted end shows the same counts', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: failing({ kind: 'status', status: 500 }) });
  const failed = await workUntilEnded(harness, id);
  await harness.call('POST', `/v1/turns/${id}/retry`);
  const again = await workUntilEnded(harness, id);
  const ends = (await harness.listEvents(id)).filter(({ turn }) => turn) as unknown as { turn: TurnResource }[];

  expect(failed).toMatchObject({ status: 'failed', usage: { llm_calls: 5 } });
  expect(again).toMatchObject({ status: 'failed', usage: { llm_calls: 10 } });
  expect(ends.map(({ turn }) => turn.usage.llm_calls)).toEqual([5, 10]);
  expect(harness.modelRequests).toHaveLength(10);
});

test.each([
  ['a permanently refused request', { input: failing({ kind: 'status', status: 401 }) }],
  [
    'a decision that broke off, after a request with tools was refused',
    {
      ...{ tools: ['weather_lookup'], tool_mode: 'emulated' },
      input: scripted({
        rounds: [{ ...weather, fault: { kind: 'cut', after_chars: 3, times: 1 } }],
        ...{ calls_as: 'json', refuses_tools: true },
      }),
    },
  ],
])('%s counts the requests that were made', async (_, request) => {
  await using harness = await createHarness();

  const { id } = await harness.startTurn(request);
  const turn = await workUntilEnded(harness, id);

  expect(turn.usage.llm_calls).toBe(harness.modelRequests.length);
  expect(turn.rounds.length).toBeLessThan(harness.modelRequests.length);
});

test('a provider that requests a pause counts the request that it refused', async ({ harness }) => {
  const { id } = await harness.runTurn({
    input: failing({ kind: 'status', status: 429, retry_after: 1, times: 1 }),
  });
  // The pause is over by the database's clock, which the test moves. The worker's clock is not moved.
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub);
  const turn = await workUntilEnded(harness, id);

  expect(turn).toMatchObject({ status: 'completed', usage: { llm_calls: 2 } });
  expect(harness.modelRequests).toHaveLength(2);
});

test('a request that a deadline aborted is counted', async ({ harness }) => {
  const turn = await harness.runTurn({ input: failing({ kind: 'hang' }), limits: { deadline_seconds: 1 } });

  expect(turn).toMatchObject({ status: 'incomplete', usage: { llm_calls: 1 } });
});
