import { sql } from 'kysely';
import { expect } from 'vitest';
import { takeRateLimitSlot } from '#core/checkpoint/limits/rate-limit.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { msAgo } from '#test/harness/moments.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';

type Call = { name: string; arguments: Record<string, unknown> | string };

const look = (args: Call['arguments']): Call => ({ name: 'look_up', arguments: args });
const lookUp = (url: string, more: Record<string, unknown>) => httpTool('look_up', url, { effect: 'none', ...more });

async function play(
  harness: Harness,
  { tools, rounds }: { tools: unknown[]; rounds: Call[][] },
  conversation?: string,
) {
  const input = scripted({ rounds: rounds.map((calls) => ({ tools: calls as never })), answer: 'Got {{results}}' });
  const path = conversation ? `/v1/conversations/${conversation}/turns` : '/v1/turns';
  const { body } = await harness.call<TurnResource>('POST', path, { body: { model: 'openai/test', input, tools } });
  await harness.workUntilIdle();
  return harness.findTurn(body.id);
}

const resultsOf = ({ rounds }: TurnResource) => rounds.flatMap((round) => round.results);

test('equal arguments in any order are answered from the cache of the conversation', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: '{"celsius":22}' }));
  const tools = [lookUp(tool.url, { cache_ttl_seconds: 60 })];
  const requested = [[look('{"city":"Tokyo","unit":"c"}')], [look('{"unit":"c","city":"Tokyo"}')]];

  const first = await play(harness, { tools, rounds: requested });
  const later = await play(harness, { tools, rounds: requested.slice(1) }, first.conversation_id);
  const externalServer = await play(harness, { tools, rounds: requested.slice(1) });

  expect(tool.caught).toHaveLength(2);
  expect(resultsOf(first)).toMatchObject([
    { cached: false, attempts: 1, content: '{"celsius":22}' },
    { cached: true, attempts: 0, content: '{"celsius":22}', duration_ms: 0 },
  ]);
  expect(resultsOf(later)).toMatchObject([{ cached: true }]);
  expect(resultsOf(externalServer)).toMatchObject([{ cached: false }]);
});

test('a cached answer is used no longer than its tool allows', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'fresh' }));
  const tools = [lookUp(tool.url, { cache_ttl_seconds: 60 })];

  const first = await play(harness, { tools, rounds: [[look({ city: 'Tokyo' })]] });
  await harness.db
    .updateTable('tool_calls')
    .set({ completed_at: new Date(msAgo(61_000)) })
    .execute();
  await play(harness, { tools, rounds: [[look({ city: 'Tokyo' })]] }, first.conversation_id);

  expect(tool.caught).toHaveLength(2);
});

test('errors are never answered from the cache', async ({ harness }) => {
  await using failing = await openExternalServer(() => ({ status: 400, body: 'no' }));
  const twice = [[look({ city: 'Tokyo' })], [look({ city: 'Tokyo' })]];

  const tools = [lookUp(failing.url, { cache_ttl_seconds: 60 })];
  const turn = await play(harness, { tools, rounds: twice });

  expect(failing.caught).toHaveLength(2);
  expect(resultsOf(turn).map(({ cached }) => cached)).toEqual([false, false]);
});

test('a tool’s rate limit applies across workers and turns: calls wait for their start', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'ok' }));
  const tools = [lookUp(tool.url, { rate_limit: { max: 2, per_seconds: 1 } })];
  const three = ['A', 'B', 'C'].map((city) => look({ city }));

  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ tools: three as never }] }), tools });
  const other = await harness.startTurn({ input: scripted({ rounds: [{ tools: three as never }] }), tools });
  while (await harness.workOnce());
  await Promise.all([harness.workOnce(), harness.workOnce()]);
  await harness.workUntilIdle();

  expect(resultsOf(await harness.findTurn(id)).every(({ status }) => status === 'success')).toBe(true);
  expect((await harness.findTurn(other.id)).status).toBe('completed');
  const { rows } = await sql<{ start: Date }>`select unnest(starts) as start from tool_rates`.execute(harness.db);
  const times = rows.map(({ start }) => start.getTime());
  expect(times.slice(2).every((time, index) => time - (times[index] ?? 0) >= 1000)).toBe(true);
  expect(tool.caught).toHaveLength(6);
});

test('another rate limit of the same tool does not change this limit', async ({ harness }) => {
  const slot = { project: 'default', tool: 'look_up', maxWaitMs: 0 };

  await takeRateLimitSlot(harness.db, { ...slot, max: 1, perSeconds: 60 });
  await takeRateLimitSlot(harness.db, { ...slot, max: 100, perSeconds: 1 });
  const waitMs = await takeRateLimitSlot(harness.db, { ...slot, max: 1, perSeconds: 60 });

  expect(waitMs).toBeGreaterThan(59_000);
});

test('a call that would wait past its timeout is answered rate_limited, with the time', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'ok' }));
  const tools = [lookUp(tool.url, { rate_limit: { max: 1, per_seconds: 3600 }, timeout_ms: 500 })];

  const turn = await play(harness, { tools, rounds: [[look({ city: 'A' })], [look({ city: 'B' })]] });

  expect(tool.caught).toHaveLength(1);
  expect(resultsOf(turn)[1]).toMatchObject({ status: 'error', attempts: 0, error: { category: 'rate_limited' } });
  expect(resultsOf(turn)[1]?.error?.details.retry_after_seconds).toBeGreaterThan(3590);
});

test.for(['none', 'at_most_once'])(
  'a call with effect %s that never ran has no duration and no start',
  async (effect, { harness }) => {
    await using tool = await openExternalServer(() => ({ status: 200, body: 'ok' }));
    const rate = { rate_limit: { max: 1, per_seconds: 3600 }, timeout_ms: 500 };

    const turn = await play(harness, {
      tools: [lookUp(tool.url, { ...rate, effect })],
      rounds: [[look({ city: 'A' })], [look({ city: 'B' })]],
    });
    const { body } = await harness.call('GET', `/v1/turns/${turn.id}/rounds`);

    const made = { attempts: 1, started_at: expect.any(String) };
    const never = { attempts: 0, duration_ms: 0, started_at: null };
    expect(body).toMatchObject({ data: [{ results: [made] }, { results: [never] }, {}] });
  },
);

test('a model that repeats a call gets a note, and later a request for its answer', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'the same' }));
  const rounds = Array.from({ length: 30 }, () => [look({ city: 'Tokyo' })]);

  const turn = await play(harness, { tools: [lookUp(tool.url, {})], rounds });

  expect(tool.caught).toHaveLength(9);
  expect(turn).toMatchObject({ status: 'completed', incomplete_details: null, round: 11 });
  expect(harness.modelRequests.at(-1)?.body).toMatchObject({ tools: [expect.anything()], tool_choice: 'none' });
  expect(turn.output).toContain('10 times in a row');
  expect(turn.warnings).toEqual(['look_up was called in a loop']);
  expect(resultsOf(turn).at(-1)?.error?.message).toContain('10 times in a row');
});

test('a model that requests another call in between is not in a loop', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'the same' }));
  const rounds = Array.from({ length: 20 }, (_, index) => [
    look({ city: index === 8 ? 'Kyoto' : 'Tokyo', n: index % 9 }),
  ]);

  const turn = await play(harness, { tools: [lookUp(tool.url, {})], rounds });

  expect(turn).toMatchObject({ status: 'completed', warnings: [] });
});

test('parallel equal calls count as a loop like consecutive equal calls', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'the same' }));

  const turn = await play(harness, {
    tools: [lookUp(tool.url, {})],
    rounds: [Array(12).fill(look({ city: 'Tokyo' }))],
  });

  expect(tool.caught).toHaveLength(9);
  expect(resultsOf(turn).map(({ status }) => status)).toEqual([...Array(9).fill('success'), ...Array(3).fill('error')]);
  expect(turn).toMatchObject({ status: 'completed', warnings: ['look_up was called in a loop'] });
});

test('a turn that reaches a limit and a loop together ends by the limit', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 200, body: 'the same' }));
  const input = scripted({ rounds: Array(12).fill({ tools: [look({ city: 'Tokyo' })] }) });

  const turn = await harness.runTurn({ input, tools: [lookUp(tool.url, {})], limits: { max_rounds: 10 } });

  const ended = { status: 'incomplete', incomplete_details: { reason: 'max_rounds' } };
  expect(turn).toMatchObject(ended);
});

test('arguments nested too deep for JSON are shown as the original text', async ({ harness }) => {
  const deep = `{"city":${'['.repeat(6000)}${']'.repeat(6000)}}`;

  const turn = await play(harness, { tools: [lookUp('http://127.0.0.1:9/', {})], rounds: [[look(deep)]] });
  const listed = await harness.call('GET', '/v1/turns');
  const events = await harness.listEvents(turn.id);

  expect(turn.rounds[0]?.tool_calls[0]?.arguments).toBe(deep);
  expect(resultsOf(turn)[0]?.error?.category).toBe('invalid_arguments');
  expect([listed.status, events.length]).toEqual([200, turn.last_event]);
});

test.each(['expires_in_seconds', 'cache_ttl_seconds'])('a %s beyond a year is refused with its path', async (field) => {
  await using harness = await createHarness();

  const body = { model: 'openai/test', input: 'Hi', tools: [lookUp('http://127.0.0.1:9/', { [field]: 2 ** 31 })] };
  const { status, body: refusal } = await harness.call('POST', '/v1/turns', { body });

  expect(status).toBe(400);
  expect(refusal).toMatchObject({ error: { param: `tools[0].${field}` } });
});
