import { sql } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { describeRefusal } from '../../refusals.ts';

type Row = Record<string, string | number | null>;
type Asked = Pick<Harness, 'call'>;

const PAWL_PRICES = JSON.stringify({ 'openai/*': { input: 1, output: 10 } });
const tools = ['weather_lookup'];
const call = (id: string) => ({ name: 'weather_lookup', arguments: { city: 'Tokyo' }, id });
const used = (input: number, output: number) => ({
  ...{ prompt_tokens: input, completion_tokens: output },
  prompt_tokens_details: { cached_tokens: input / 10, cache_write_tokens: input / 5 },
});
const twoRounds = scripted({
  rounds: [{ tools: [call('call_1'), call('call_2')], usage: used(100, 10) }],
  answer: 'Mild.',
  final: { usage: used(200, 20) },
});
const figures = {
  ...{ turns: 1, rounds: 2, tool_calls: 2, input_tokens: 300, output_tokens: 30, total_tokens: 330 },
  ...{ cached_input_tokens: 30, cache_write_tokens: 60, reasoning_tokens: 0, cost_usd: 0.0006 },
};
const nothing = Object.fromEntries(Object.keys(figures).map((name) => [name, 0]));

async function usageOf(client: Asked, query = ''): Promise<Row[]> {
  return (await client.call<{ data: Row[] }>('GET', `/v1/usage${query}`)).body.data;
}

async function play(harness: Harness, request: Record<string, unknown>): Promise<TurnResource> {
  const { id } = await harness.startTurn(request);
  return workUntilEnded(harness, id);
}

/** Makes all usage older by some hours, and rolls it up. */
async function rollUp(harness: Harness, hours: number): Promise<void> {
  await sql`update usage_records set at = at - make_interval(hours => ${hours})`.execute(harness.db);
  await rollUpUsage(harness.db);
  const { rows } = await sql`select from usage_records`.execute(harness.db);
  expect(rows).toHaveLength(0);
}

const test = testWith({ env: { PAWL_PRICES } });

test('usage counts a turn at its creation, and each round once at its end', async ({ harness }) => {
  const empty = await usageOf(harness);

  await harness.startTurn({ input: twoRounds, tools });
  const queued = await usageOf(harness);
  await harness.workOnce();
  const asked = await usageOf(harness);
  await harness.workUntilIdle({ deliveries: 3 });
  const ended = await usageOf(harness);

  expect(empty).toEqual([nothing]);
  expect(queued).toEqual([{ ...nothing, turns: 1 }]);
  expect(asked).toEqual([
    {
      ...{ ...nothing, turns: 1, rounds: 1, tool_calls: 2, input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      ...{ cached_input_tokens: 10, cache_write_tokens: 20, cost_usd: 0.0002 },
    },
  ]);
  expect(ended).toEqual([figures]);
});

test('usage equals the figures of its turns, including summaries and repairs', async ({ harness }) => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const place = { name: 'place', schema };
  const turns = [
    await play(harness, { input: scripted({ answer: 'no JSON' }), output_schema: place }),
    await play(harness, { input: twoRounds, tools, limits: { max_rounds: 1 } }),
  ];
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { body } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test', context } });
  const long = scripted({ answer: 'word '.repeat(400), summary: { say: 'They spoke.' } });
  for (let number = 1; number <= 3; number += 1) {
    const path = `/v1/conversations/${body.id}/turns`;
    const { body: turn } = await harness.call<TurnResource>('POST', path, { body: { input: long } });
    turns.push(await workUntilEnded(harness, turn.id));
  }

  const [row] = await usageOf(harness);

  expect(turns.at(-1)?.compactions).toHaveLength(1);
  const sumOf = (figure: (turn: TurnResource) => number) => turns.reduce((sum, turn) => sum + figure(turn), 0);
  expect(row).toEqual({
    turns: 5,
    rounds: sumOf(({ rounds }) => rounds.length),
    tool_calls: sumOf(({ usage }) => usage.tool_calls),
    input_tokens: sumOf(({ usage }) => usage.input_tokens),
    output_tokens: sumOf(({ usage }) => usage.output_tokens),
    total_tokens: sumOf(({ usage }) => usage.total_tokens),
    cached_input_tokens: sumOf(({ usage }) => usage.cached_input_tokens),
    cache_write_tokens: sumOf(({ usage }) => usage.cache_write_tokens),
    reasoning_tokens: 0,
    cost_usd: expect.closeTo(
      sumOf(({ usage }) => usage.cost_usd ?? Number.NaN),
      12,
    ),
  });
});

test('usage by model counts rounds and turns separately, and an unknown cost is null', async ({ harness }) => {
  await play(harness, { input: twoRounds, tools });
  const refused = scripted({ final: { fault: { kind: 'status', status: 401, times: 1 } } });
  await play(harness, { input: refused, fallback_models: ['sim/demo'] });
  const rows = await usageOf(harness, '?group_by=model');
  const [all] = await usageOf(harness);

  expect(rows).toEqual([
    { model: 'openai/test', ...figures, turns: 2 },
    { model: 'sim/demo', ...nothing, ...{ rounds: 1, turns: 0, cost_usd: null }, ...tokensOf(rows[1]) },
  ]);
  expect(all).toMatchObject({ turns: 2, rounds: 3, cost_usd: null });
});

function tokensOf(row: Row | undefined) {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => name.endsWith('_tokens')));
}

test('usage of a project covers its own turns, by the ids of its keys', async () => {
  const PAWL_API_KEYS = 'alpha:key-of-alpha,alpha:second-of-alpha,beta:key-of-beta';
  await using harness = await createHarness({ env: { PAWL_API_KEYS, PAWL_PRICES } });
  const [first, second, beta] = ['key-of-alpha', 'second-of-alpha', 'key-of-beta'].map((key) =>
    apiClient(harness.url, key),
  );
  for (const client of [first!, second!, second!, beta!]) await client.startTurn({ input: twoRounds, tools });
  await second!.call('POST', '/v1/responses', { body: { model: 'openai/test', input: 'Hi', background: true } });
  await harness.workUntilIdle();

  const byKey = await usageOf(first!, '?group_by=key,project');
  const ofBeta = await usageOf(beta!, '?group_by=project');

  expect(byKey).toMatchObject([
    { project: 'alpha', key: expect.stringMatching(/^key_[0-9a-f]{8}$/), turns: expect.any(Number) },
    { project: 'alpha', key: expect.stringMatching(/^key_[0-9a-f]{8}$/), turns: expect.any(Number) },
  ]);
  expect(byKey.map(({ turns, rounds }) => `${turns} ${rounds}`).sort()).toEqual(['1 2', '3 5']);
  expect(ofBeta).toEqual([{ project: 'beta', ...figures }]);
});

test('usage with an admin key covers all projects', async () => {
  const PAWL_PROJECTS = JSON.stringify({
    web: { keys: ['key-of-web'] },
    ops: { keys: [{ key: 'key-of-ops', scopes: ['admin'] }] },
  });
  await using harness = await createHarness({ env: { PAWL_PROJECTS, PAWL_PRICES } });
  const [web, ops] = ['key-of-web', 'key-of-ops'].map((key) => apiClient(harness.url, key));
  await web!.startTurn({ input: twoRounds, tools });
  await ops!.startTurn({ input: twoRounds, tools });
  await harness.workUntilIdle();

  expect(await usageOf(ops!, '?group_by=project')).toEqual([
    { project: 'ops', ...figures },
    { project: 'web', ...figures },
  ]);
  expect(await usageOf(web!, '?group_by=project')).toEqual([{ project: 'web', ...figures }]);
});

test('usage is unchanged after its turns are deleted and after a roll-up', async ({ harness }) => {
  const turn = await play(harness, { input: twoRounds, tools });
  const before = await usageOf(harness, '?group_by=day,model,key');

  await harness.call('DELETE', `/v1/conversations/${turn.conversation_id}`);
  const deleted = await usageOf(harness, '?group_by=day,model,key');
  await rollUp(harness, 25);
  const [rolledUp] = await usageOf(harness);

  expect(before).toEqual([{ day: expect.any(String), model: 'openai/test', key: null, ...figures }]);
  expect(deleted).toEqual(before);
  expect(rolledUp).toEqual(figures);
});

test('usage includes from and excludes to, by milliseconds within the last hour', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'One' });
  await sql`select pg_sleep(0.005)`.execute(harness.db);
  const { created_at: at } = await harness.startTurn({ input: 'Two' });

  const turnsOf = async (query: string) => (await usageOf(harness, query))[0]?.turns;

  expect(await turnsOf(`?from=${first.created_at}`)).toBe(2);
  expect(await turnsOf(`?from=${at}`)).toBe(1);
  expect(await turnsOf(`?to=${at}`)).toBe(1);
  expect(await turnsOf(`?from=${first.created_at}&to=${at}`)).toBe(1);
  expect(await turnsOf(`?from=${at.slice(0, 10)}`)).toBe(2);
  expect(await turnsOf(`?to=${at.slice(0, 10)}`)).toBe(0);
});

test('usage covers the last 30 days by default, in UTC days for any offset', async ({ harness }) => {
  await play(harness, { input: twoRounds, tools });
  await rollUp(harness, 31 * 24);
  await play(harness, { input: twoRounds, tools });
  const at = '2026-01-31T23:45:00Z';
  await sql`update usage_records set at = ${at}`.execute(harness.db);
  await rollUpUsage(harness.db);

  const recent = await usageOf(harness);
  const ofDay = (query: string) => usageOf(harness, `${query}&group_by=day`);

  expect(recent).toEqual([nothing]);
  expect(await ofDay('?from=2026-01-31&to=2026-02-01')).toEqual([{ day: '2026-01-31', ...figures }]);
  expect(await ofDay('?from=2026-02-01&to=2026-02-02')).toEqual([]);
  expect(await ofDay('?from=2026-01-31T23:45&to=2026-01-31T23:59')).toHaveLength(1);
  const midnight = encodeURIComponent('2026-02-01T00:45:00+01:00');
  expect(await ofDay(`?from=${midnight}&to=2026-02-02`)).toEqual([{ day: '2026-01-31', ...figures }]);
});

let plain: Harness;
beforeAll(async () => {
  plain = await createHarness();
});
afterAll(() => plain[Symbol.asyncDispose]());

test.each([
  ['?from=yesterday', 'invalid_value: from'],
  ['?from=2026-02-30', 'invalid_value: from'],
  ['?to=2026-11-20T25:00:00Z', 'invalid_value: to'],
  ['?from=2026-11-20&to=2026-11-20', 'invalid_value: to'],
  ['?group_by=', 'invalid_value: group_by'],
  ['?group_by=day,hour', 'invalid_value: group_by'],
  ['?groupby=day', 'unknown_field: groupby'],
])('the query %s of usage is refused with the name of its parameter', async (query, refusal) => {
  expect(describeRefusal(await plain.call('GET', `/v1/usage${query}`))).toBe(`400 ${refusal}`);
});
