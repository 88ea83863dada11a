import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createWorld } from '#test/world/create-world.ts';
import { workUntilEnded } from '#test/world/let-time-pass.ts';
import { scripted } from '#test/world/scripted.ts';

const failing = (fault: object) => scripted({ answer: 'At last.', final: { fault: fault as never } });
const weather = { tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] };

test('requests that failed are counted, once each, and an end that was taken back tells what it told', async () => {
  await using world = await createWorld();

  const { id } = await world.startTurn({ input: failing({ kind: 'status', status: 500 }) });
  const failed = await workUntilEnded(world, id);
  await world.call('POST', `/v1/turns/${id}/retry`);
  const again = await workUntilEnded(world, id);
  const told = (await world.listEvents(id)).filter(({ turn }) => turn) as unknown as { turn: TurnResource }[];

  expect(failed).toMatchObject({ status: 'failed', usage: { llm_calls: 5 } });
  expect(again).toMatchObject({ status: 'failed', usage: { llm_calls: 10 } });
  expect(told.map(({ turn }) => turn.usage.llm_calls)).toEqual([5, 10]);
  expect(world.asked).toHaveLength(10);
});

test.each([
  ['a request refused for good', { input: failing({ kind: 'status', status: 401 }) }],
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
  await using world = await createWorld();

  const { id } = await world.startTurn(request);
  const turn = await workUntilEnded(world, id);

  expect(turn.usage.llm_calls).toBe(world.asked.length);
  expect(turn.rounds.length).toBeLessThan(world.asked.length);
});

test('a provider that asks for a pause counts the request that it refused', async () => {
  await using world = await createWorld();

  const { id } = await world.startTurn({
    input: failing({ kind: 'status', status: 429, retry_after: 1, times: 1 }),
  });
  await world.workUntilIdle();
  // The pause is over by the database's clock, which the test moves; the worker's own goes on as it does.
  world.worker.limits = makeRateLimits(world.worker.live);
  const turn = await workUntilEnded(world, id);

  expect(turn).toMatchObject({ status: 'completed', usage: { llm_calls: 2 } });
  expect(world.asked).toHaveLength(2);
});

test('a request that a deadline cut off is counted', async () => {
  await using world = await createWorld();

  const { id } = await world.startTurn({ input: failing({ kind: 'hang' }), limits: { deadline_seconds: 1 } });
  await world.workUntilIdle();

  expect(await world.findTurn(id)).toMatchObject({ status: 'incomplete', usage: { llm_calls: 1 } });
});
