import { expect, test } from 'vitest';
import { letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { converse, long, summariesAsked } from '#test/worker/compaction/converse.ts';
import { openFlex, typesOf } from '#test/worker/round/flex-turns.ts';
import { bookedUnder, openLimits, passMinute, rowOf, startTurns, statusesOf } from './open-limits.ts';

const look = { tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] };
const usage = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };

test('each round of a tool loop is booked, and the loop continues a minute later', async () => {
  await using harness = await openLimits({ 'openai/*': { requests_per_minute: 2 } });
  const input = scripted({ rounds: [look, look, look] });
  const [turn] = await startTurns(harness, 1, { input, tools: ['weather_lookup'] });
  await harness.workUntilIdle();

  const whileFull = await harness.findTurn(turn!.id);
  await passMinute(harness);

  expect(whileFull).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(whileFull.rounds).toHaveLength(2);
  expect(await harness.findTurn(turn!.id)).toMatchObject({ status: 'completed', usage: { llm_calls: 4 } });
});

test('an emulated round books three requests, and its reply corrects the number', async () => {
  await using harness = await openLimits({ 'openai/*': { requests_per_minute: 5 } });
  const input = scripted({ rounds: [look], calls_as: 'json' });
  const [turn] = await startTurns(harness, 1, { input, tools: ['weather_lookup'], tool_mode: 'emulated' });

  const whileAsked = await harness.whileModelThinks(() => bookedUnder(harness, 'openai/*'));
  const afterwards = await bookedUnder(harness, 'openai/*');
  await harness.workUntilIdle();

  expect([whileAsked?.requests, afterwards?.requests]).toEqual([3, 2]);
  expect(await statusesOf(harness, [turn!])).toEqual(['completed']);
  expect(harness.modelRequests).toHaveLength(5);
  expect((await bookedUnder(harness, 'openai/*'))?.requests).toBe(5);
});

test('input tokens and max_output_tokens are booked before the request, and corrected', async () => {
  await using harness = await openLimits({ 'openai/*': { tokens_per_minute: 10_000 } });
  await startTurns(harness, 1, { input: scripted({ answer: 'Hi.', final: { usage } }), max_output_tokens: 4_000 });

  const whileAsked = await harness.whileModelThinks(() => bookedUnder(harness, 'openai/*'));

  expect(whileAsked?.tokens).toBeGreaterThan(4_000);
  expect(whileAsked?.tokens).toBeLessThan(4_100);
  expect(await bookedUnder(harness, 'openai/*')).toMatchObject({ tokens: 50 });
});

test('without max_output_tokens a request books the model’s average output', async () => {
  await using harness = await openLimits({ 'openai/*': { tokens_per_minute: 100_000 } });
  const input = scripted({ answer: 'Hi.', final: { usage } });
  const booked = async () => {
    const before = (await bookedUnder(harness, 'openai/*'))?.tokens ?? 0;
    await startTurns(harness, 1, { input });
    const now = await harness.whileModelThinks(() => bookedUnder(harness, 'openai/*'));
    return now!.tokens - before;
  };

  const [first, second] = [await booked(), await booked()];

  expect(first).toBeGreaterThan(1_000);
  expect(second).toBeLessThan(100);
});

test('turns that need more tokens than are left wait until there is room', async () => {
  await using harness = await openLimits({ 'openai/*': { tokens_per_minute: 1_000 } });
  const turns = await startTurns(harness, 3, { max_output_tokens: 600, input: scripted({ final: { usage: null } }) });
  await harness.workUntilIdle();

  const done = [await statusesOf(harness, turns)];
  for (let minute = 0; minute < 2; minute += 1) {
    await passMinute(harness);
    done.push(await statusesOf(harness, turns));
  }

  expect(done.map((statuses) => statuses.filter((status) => status === 'completed').length)).toEqual([1, 2, 3]);
});

test('a round that needs more tokens than the whole limit is asked alone', async () => {
  await using harness = await openLimits({ 'openai/*': { tokens_per_minute: 100 } });
  const turns = await startTurns(harness, 2, { max_output_tokens: 5_000 });
  await harness.workUntilIdle();
  await passMinute(harness);

  expect(await statusesOf(harness, turns)).toEqual(['completed', 'completed']);
});

test('a request that fails stays booked', async () => {
  await using harness = await openLimits({ 'openai/*': { requests_per_minute: 5, tokens_per_minute: 100_000 } });
  const failing = scripted({ final: { fault: { kind: 'status', status: 500, retry_after: 30 } } });
  await startTurns(harness, 1, { input: failing, max_output_tokens: 500 });
  await harness.workUntilIdle();

  const booked = await bookedUnder(harness, 'openai/*');
  expect(booked?.requests).toBe(1);
  expect(booked?.tokens).toBeGreaterThan(500);
});

test('a summary is booked under the limits of the model that writes it', async () => {
  await using harness = await openLimits({ 'openai/small': { requests_per_minute: 1, tokens_per_minute: 50_000 } });
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: 'openai/small' };
  const { say } = await converse(harness, context);
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });
  for (let nth = 0; nth < 2; nth += 1) await say(answer);

  const third = await say(answer);
  const fourth = await say(answer);
  const whileFull = await rowOf(harness, fourth.id);
  const asked = summariesAsked(harness).length;
  await passMinute(harness);

  expect(third).toMatchObject({ status: 'completed', compactions: [{ model: 'openai/small' }] });
  expect(fourth).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' }, rounds: [] });
  expect(whileFull).toMatchObject({ attempts: 0, waited_ms: 0 });
  expect([asked, summariesAsked(harness).length]).toEqual([1, 2]);
  expect(await harness.findTurn(fourth.id)).toMatchObject({ status: 'completed' });
  expect((await bookedUnder(harness, 'openai/small'))?.requests).toBe(1);
});

test('a summary and the round after it share the slot of their run', async () => {
  await using harness = await openLimits({ 'openai/*': { concurrency: 1 } });
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { say } = await converse(harness, context);
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

  const turns = [await say(answer), await say(answer), await say(answer)];

  expect(turns.map(({ status }) => status)).toEqual(Array(3).fill('completed'));
  expect(turns[2]).toMatchObject({ compactions: [{ summary: 'They greeted.' }] });
});

test('a later round takes a slot for a summary, even if only its model has limits', async () => {
  await using harness = await openLimits({ 'openai/small': { concurrency: 1 } });
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: 'openai/small' };
  const { say } = await converse(harness, context);
  const looking = scripted({ rounds: [{ say: long, ...look }], answer: long, summary: { say: 'They looked.' } });
  await say(scripted({ answer: long, summary: { say: 'They greeted.' } }));
  const turn = await say(looking, { tools: ['weather_lookup'] });

  expect(turn).toMatchObject({ status: 'completed' });
  const summaries = summariesAsked(harness).length;
  expect(summaries).toBeGreaterThan(0);
  const slots = await harness.db.selectFrom('provider_slots').select(['turn_id', 'limit_name']).execute();
  expect(slots).toEqual([{ turn_id: turn.id, limit_name: 'openai/small' }]);
});

test('a round on flex under a limit keeps its tier, and changes it before its deadline', async () => {
  const limits = JSON.stringify({ 'openai/*': { requests_per_minute: 1 } });
  await using opened = await openFlex({ env: { PAWL_PROVIDER_LIMITS: limits } });
  const { harness, server } = opened;
  const flex = { model: 'openai/test', service_tier: 'flex' };
  const bound = { tier_fallback: 'default', limits: { deadline_seconds: 100 } };
  await startTurns(harness, 1, flex);
  const [plain] = await startTurns(harness, 1, flex);
  await harness.workUntilIdle();
  const [late] = await startTurns(harness, 1, { ...flex, ...bound });
  await harness.workUntilIdle();

  const whileFull = await rowOf(harness, plain!.id);
  await passMinute(harness);
  await letTimePass(harness, 25_000);
  const left = await typesOf(harness, late!.id);

  expect(whileFull).toMatchObject({ attempts: 0, waited_ms: 0 });
  expect(server.tiers()).toEqual(['flex', 'flex']);
  expect(await harness.findTurn(plain!.id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
  expect(left).toContain('tier.changed');
  expect(await typesOf(harness, plain!.id)).not.toContain('tier.changed');
});
