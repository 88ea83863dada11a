import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { operatorsTool, startWithConfig } from '#test/harness/start-with-config.ts';
import { test } from '#test/harness/test.ts';

const look = (city: string) => ({ name: 'weather_lookup', arguments: { city } });
const tools = ['weather_lookup'];
const endless = scripted({
  rounds: Array.from({ length: 9 }, (_, index) => ({ tools: [look(`City ${index}`)] })),
  answer: 'As far as I got.',
});

test('the last round after max_rounds keeps its tools and forbids calls', async ({ harness }) => {
  const turn = await harness.runTurn({ input: endless, tools, limits: { max_rounds: 2 } });

  expect(turn).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'max_rounds' }, error: null },
    ...{ output: 'As far as I got.', round: 3, phase: null },
  });
  expect(turn.rounds.map(({ tool_calls }) => tool_calls.length)).toEqual([1, 1, 0]);
  expect(harness.modelRequests.map(({ body }) => body.tools?.length ?? 0)).toEqual([1, 1, 1]);
  expect(harness.modelRequests.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, 'none']);
});

test('a turn that answers before its last round is completed', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [look('Tokyo')] }], answer: 'Sunny.' });

  const turn = await harness.runTurn({ input, tools, limits: { max_rounds: 2 } });

  expect(turn).toMatchObject({ status: 'completed', incomplete_details: null, output: 'Sunny.' });
});

test('calls of a batch beyond max_tool_calls are cancelled, and a final round follows', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [look('A'), look('B'), look('C')] }], answer: 'Enough.' });

  const turn = await harness.runTurn({ input, tools, limits: { max_tool_calls: 2 } });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_tool_calls' } });
  expect(turn.output).toBe('Enough.');
  expect(turn.rounds[0]?.results.map(({ status, error }) => [status, error?.category])).toEqual([
    ['success', undefined],
    ['success', undefined],
    ['error', 'cancelled'],
  ]);
  expect(harness.modelRequests[1]?.body.tool_choice).toBe('none');
});

test('max_total_tokens is compared with the usage before each round', async ({ harness }) => {
  const usage = { prompt_tokens: 60, completion_tokens: 40 };
  const round = { tools: [look('Tokyo')], usage };
  const input = scripted({ rounds: [round, round, round], answer: 'Spent.', final: { usage } });

  const turn = await harness.runTurn({ input, tools, limits: { max_total_tokens: 150 } });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_total_tokens' } });
  expect(turn).toMatchObject({ output: 'Spent.', round: 3, usage: { total_tokens: 300, llm_calls: 3, tool_calls: 2 } });
});

test('usage is the sum over the rounds', async ({ harness }) => {
  const details = {
    prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const input = scripted({
    rounds: [{ tools: [look('Tokyo')], usage: { prompt_tokens: 10, completion_tokens: 5, ...details } }],
    final: { usage: { prompt_tokens: 20, completion_tokens: 6 } },
  });

  const { usage, rounds } = await harness.runTurn({ input, tools });

  expect(usage).toEqual({
    ...{ input_tokens: 30, output_tokens: 11, total_tokens: 41 },
    ...{ cached_input_tokens: 7, cache_write_tokens: 2, reasoning_tokens: 3 },
    ...{ cost_usd: null, cache_savings_usd: null, llm_calls: 2, tool_calls: 1 },
  });
  expect(rounds[0]?.usage).toMatchObject({
    input_tokens: 10,
    cached_input_tokens: 7,
    cache_write_tokens: 2,
    reasoning_tokens: 3,
  });
});

test.each([
  ['length', 'length', 'max_output_tokens'],
  ['content_filter', 'content_filter', 'content_filter'],
])('a reply that stops for %s ends the turn incomplete with its text so far', async (raw, reason, incomplete) => {
  await using harness = await createHarness();

  const turn = await harness.runTurn({ input: scripted({ answer: 'So far', final: { finish_reason: raw } }) });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: incomplete }, output: 'So far' });
  expect(turn.rounds[0]).toMatchObject({ finish_reason: reason, finish_reason_raw: raw, assistant_response: null });
});

test('calls in a truncated reply do not run', async ({ harness }) => {
  const input = scripted({ rounds: [{ say: 'I will', tools: [look('Tokyo')], finish_reason: 'length' }] });

  const turn = await harness.runTurn({ input, tools });

  expect(turn).toMatchObject({
    status: 'incomplete',
    output: 'I will',
    incomplete_details: { reason: 'max_output_tokens' },
  });
  expect(turn.rounds.flatMap(({ tool_calls }) => tool_calls)).toEqual([]);
});

test('tool_choice required and specific apply to the first round only', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [look('Tokyo')] }] });

  for (const tool_choice of ['required', { type: 'specific', name: 'weather_lookup' }]) {
    await harness.runTurn({ input, tools, tool_choice });
  }

  expect(harness.modelRequests.map(({ body }) => body.tool_choice ?? 'auto')).toEqual([
    ...['required', 'auto'],
    ...[{ type: 'function', function: { name: 'weather_lookup' } }, 'auto'],
  ]);
});

test('a deadline that passes while the turn is queued ends the turn without a summary', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi', limits: { deadline_seconds: 30 } });

  await letTimePass(harness);

  expect(await harness.findTurn(id)).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'deadline' }, output: null, rounds: [] },
  });
  expect(harness.modelRequests).toHaveLength(0);
});

test('a deadline that passes before a refusal ends the turn, despite a longer pause', async ({ harness }) => {
  const held = harness.holdModel();
  const refused = scripted({ final: { fault: { kind: 'status', status: 429, retry_after: 60 } } });
  const { id } = await harness.startTurn({ input: refused, limits: { deadline_seconds: 30 } });
  const working = harness.workOnce();
  await held.reached;
  await harness.advance(31_000);

  held.open();
  await working;
  await harness.rescue();
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'deadline' },
  });
});

test('a deadline ends a turn that waits for another turn, which does not change', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'Hi', limits: { deadline_seconds: 600 } });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const more = { input: 'Later', limits: { deadline_seconds: 30 } };
  const { body: second } = await harness.call<TurnResource>('POST', path, { body: more });

  await harness.workOnce(async () => {});
  await harness.advance(31_000);
  await harness.rescue();
  const ended = harness.workUntilIdle();
  await ended;

  expect(await harness.findTurn(second.id)).toMatchObject({ incomplete_details: { reason: 'deadline' }, output: null });
  expect((await harness.findTurn(first.id)).status).toBe('completed');
});

test('a deadline that passes between two rounds ends the turn with its rounds', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: endless, tools, limits: { deadline_seconds: 30 } });

  await harness.workOnce();
  await harness.advance(31_000);
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'deadline' }, output: null });
  expect(turn.rounds[0]?.results).toMatchObject([{ status: 'error', error: { category: 'cancelled' } }]);
  expect(harness.modelRequests).toHaveLength(1);
});

test('max_total_output_tokens caps each round at the rest, and ends the turn at zero', async ({ harness }) => {
  const used = (completion_tokens: number) => ({
    tools: [look('Tokyo')],
    usage: { prompt_tokens: 9, completion_tokens },
  });
  const input = scripted({ rounds: [used(30), used(65), used(5)], answer: 'Never asked for.' });
  const config = { tools: [operatorsTool('weather_lookup')], max_total_output_tokens: 100, max_output_tokens: 80 };

  const { id } = await startWithConfig(harness, { input, config });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  expect(harness.modelRequests.map(({ body }) => body.max_completion_tokens ?? body.max_tokens)).toEqual([80, 70, 5]);
  expect(turn).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ...{ output: null, usage: { output_tokens: 100 } },
  });
  expect(turn.rounds.map(({ results }) => results[0]?.status)).toEqual(['success', 'success', 'success']);
});
