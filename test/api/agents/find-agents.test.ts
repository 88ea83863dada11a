import { sql } from 'kysely';
import { expect } from 'vitest';
import { rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { changeAgent, createAgent, start } from './agents.ts';

/** Starts and ends turns with two versions of an agent, with another agent, and without one. */
async function withTurns(harness: Harness) {
  await createAgent(harness);
  await changeAgent(harness, 'support', { seed: 7 });
  await createAgent(harness, { name: 'sales' });
  const turns: Record<string, string> = {};
  for (const agent of ['support@1', 'support@2', 'sales@1', null])
    turns[agent ?? 'none'] = (await start(harness, { agent, model: 'openai/test', input: `Hi ${agent}` })).id;
  await harness.workUntilIdle();
  return turns;
}

test('turns are found by their agent or its version, with other filters', async ({ harness }) => {
  const turns = await withTurns(harness);
  const waiting = await start(harness, { agent: 'sales', delay_seconds: 60 });
  const found = async (query: string) =>
    (await harness.call<{ data: TurnResource[] }>('GET', `/v1/turns?${query}`)).body.data.map(({ id }) => id);
  const counted = await harness.call('GET', '/v1/statistics/turns?agent=support');

  expect(await found('agent=support')).toEqual([turns['support@2'], turns['support@1']]);
  expect(await found('agent=support@1')).toEqual([turns['support@1']]);
  expect(await found('agent=sales&status=queued')).toEqual([waiting.id]);
  expect(await found('agent=sales&status=completed')).toEqual([turns['sales@1']]);
  expect(await found('agent=support&q=hi')).toEqual([turns['support@2'], turns['support@1']]);
  expect(await found('agent=support&q=sales')).toEqual([]);
  expect(await found('agent=support@9')).toEqual([]);
  expect(counted.body).toMatchObject({ counts: { completed: 2 } });
  expect(describeRefusal(await harness.call('GET', '/v1/turns?agent=support@production'))).toBe(
    '400 invalid_value: agent',
  );
});

test('usage is grouped by agent and version, before and after it is summed', async ({ harness }) => {
  await withTurns(harness);
  const read = async (group: string) => {
    const { body } = await harness.call<{ data: Record<string, unknown>[] }>('GET', `/v1/usage?group_by=${group}`);
    return body.data.map((row) => [row[group], row.turns, row.rounds]);
  };
  const agents = [
    ['sales', 1, 1],
    ['support', 2, 2],
    [null, 1, 1],
  ];
  const versions = [
    ['sales@1', 1, 1],
    ['support@1', 1, 1],
    ['support@2', 1, 1],
    [null, 1, 1],
  ];

  expect([await read('agent'), await read('agent_version')]).toEqual([agents, versions]);
  await sql`update usage_records set at = at - interval '1 hour'`.execute(harness.db);
  while (await rollUpUsage(harness.db));
  expect([await read('agent'), await read('agent_version')]).toEqual([agents, versions]);
  expect((await harness.call('GET', '/v1/usage')).body).toMatchObject({ data: [{ turns: 4, rounds: 4 }] });
});

test('statistics compare the versions of agents', async ({ harness }) => {
  await withTurns(harness);

  const { body } = await harness.call<{ agents: Record<string, unknown>[] }>('GET', '/v1/statistics');

  const figures = { precision: 'exact', turns: expect.objectContaining({ completed: 1, failed: 0 }) };
  const tokens = {
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    duration_ms: expect.anything(),
  };
  expect(body.agents).toEqual([
    { agent: 'sales', version: 1, ...figures, ...tokens },
    { agent: 'support', version: 1, ...figures, ...tokens },
    { agent: 'support', version: 2, ...figures, ...tokens },
  ]);
});
