import { expect } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { presentFreshRound } from '#core/turn/resource/event.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { callersTool, operatorsTool, startWithConfig } from '#test/harness/start-with-config.ts';
import { test } from '#test/harness/test.ts';

const locate = (id: string) => ({ name: 'locate', arguments: {}, id });
const weather = { name: 'weather_lookup', arguments: { city: 'Tokyo' }, id: 'call_weather' };
const mine = callersTool('locate');
const asking = (...tools: object[]) =>
  scripted({ rounds: [{ say: 'Let me see.', tools: tools as [] }], answer: 'Never said.' });

const typesOf = async (harness: Harness, id: string) => (await harness.listEvents(id)).map(({ type }) => type);
const statusesOf = ({ rounds }: { rounds: { results: { status: string }[] }[] }) =>
  rounds.flatMap(({ results }) => results.map(({ status }) => status));

test('a round that only asks for calls of the caller ends its turn in the same commit', async ({ harness }) => {
  const { id } = await startWithConfig(harness, {
    input: asking(locate('call_1'), locate('call_2')),
    config: { tools: [mine] },
  });

  const jobs = await workAndCount(harness);
  const turn = await harness.findTurn(id);

  expect(jobs).toEqual(['run-round']);
  expect(turn).toMatchObject({
    status: 'completed',
    output: 'Let me see.',
    error: null,
    round: 1,
    required_action: null,
  });
  expect(turn.rounds).toMatchObject([
    {
      assistant_response: 'Let me see.',
      finish_reason: 'tool_calls',
      tool_calls: [{ id: 'call_1' }, { id: 'call_2' }],
      results: [
        { tool_call_id: 'call_1', status: 'handed_over', content: null, error: null, attempts: 0 },
        { tool_call_id: 'call_2', status: 'handed_over' },
      ],
    },
  ]);
  expect(await typesOf(harness, id)).toEqual(['turn.queued', 'turn.started', 'round.completed', 'turn.completed']);
});

test('a caller’s function never runs in Pawl, even if it has the name of a tool', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [{ ...weather, arguments: '{"city": ' }] }] });
  const { id } = await startWithConfig(harness, { input, config: { tools: [callersTool('weather_lookup')] } });

  await harness.workUntilIdle({ deliveries: 3 });
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', output: '' });
  expect(turn.rounds[0]).toMatchObject({
    tool_calls: [{ arguments: '{"city": ' }],
    results: [{ status: 'handed_over' }],
  });
  expect(harness.modelRequests).toHaveLength(1);
});

test('a hand-over waits for Pawl’s own calls, and then its turn is completed', async ({ harness }) => {
  const tools = [mine, operatorsTool('weather_lookup')];
  const { id } = await startWithConfig(harness, { input: asking(locate('call_1'), weather), config: { tools } });

  await harness.workOnce();
  const between = await harness.findTurn(id);
  await harness.workUntilIdle({ deliveries: 2 });
  const turn = await harness.findTurn(id);

  expect([between.status, statusesOf(between)]).toEqual(['in_progress', ['handed_over', 'pending']]);
  expect(turn).toMatchObject({ status: 'completed', output: 'Let me see.', incomplete_details: null });
  expect(statusesOf(turn)).toEqual(['handed_over', 'success']);
  expect(harness.modelRequests).toHaveLength(1);
  expect(await typesOf(harness, id)).toEqual([
    'turn.queued',
    'turn.started',
    'round.completed',
    'tool_call.completed',
    'turn.completed',
  ]);
});

test('a lost end of a hand-over is rescued after its last result', async ({ harness }) => {
  const tools = [mine, operatorsTool('weather_lookup')];
  const { id } = await startWithConfig(harness, { input: asking(locate('call_1'), weather), config: { tools } });
  await harness.workOnce();
  await harness.workOnce();
  await harness.workOnce(async () => {});
  const before = await harness.findTurn(id);

  await letTimePass(harness, 6_000);

  expect(before.status).toBe('in_progress');
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Let me see.' });
  expect(harness.modelRequests).toHaveLength(1);
});

test('a turn hands over after calls that wait for a client or a person', async ({ harness }) => {
  const device = { ...operatorsTool('ask_device', { execution: { kind: 'client' } }), description: 'Asks the device' };
  const call = { name: 'ask_device', arguments: { city: 'Rome' }, id: 'call_device' };
  const { id } = await startWithConfig(harness, {
    input: asking(locate('call_1'), call),
    config: { tools: [mine, device] },
  });
  await harness.workUntilIdle();
  const waiting = await harness.findTurn(id);

  const answers = { tool_outputs: [{ tool_call_id: 'call_device', output: 'here' }] };
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: answers });
  await harness.workUntilIdle();

  expect(waiting).toMatchObject({
    status: 'requires_action',
    required_action: { tool_outputs: [{ id: 'call_device' }] },
  });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Let me see.' });
});

test('calls of the caller do not count toward max_tool_calls, nor as a loop', async ({ harness }) => {
  const calls = Array.from({ length: 12 }, (_, index) => locate(`call_${index}`));
  const tools = [mine, operatorsTool('weather_lookup')];
  const limits = {
    max_tool_calls: 1,
    max_rounds: 50,
    max_total_tokens: null,
    max_cost_usd: null,
    deadline_seconds: null,
  };
  const { id } = await startWithConfig(harness, { input: asking(...calls, weather), config: { tools, limits } });

  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', warnings: [] });
  expect(statusesOf(turn)).toEqual([...calls.map(() => 'handed_over'), 'success']);
});

test('a native answer to a handed-over call is refused, and the call has no output', async ({ harness }) => {
  const { id } = await startWithConfig(harness, { input: asking(locate('call_1')), config: { tools: [mine] } });
  await harness.workUntilIdle();

  const outputs = { tool_outputs: [{ tool_call_id: 'call_1', output: 'here' }] };
  const approvals = { approvals: [{ tool_call_id: 'call_1', decision: 'allow' }] };
  const refused = [
    await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: outputs }),
    await harness.call('POST', `/v1/turns/${id}/approvals`, { body: approvals }),
  ];
  const read = await harness.call('GET', `/v1/turns/${id}/tool_outputs/call_1`);

  for (const { status, body } of refused) {
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: 'tool_call_not_waiting',
      message: 'The call call_1 was handed over. Give its result in the input of the next turn or response.',
    });
  }
  expect(read).toMatchObject({ status: 404, body: { error: { code: 'tool_output_not_found' } } });
});

test('a turn that hands over lets the next turn run, and a webhook reports its calls', async ({ harness }) => {
  const { id, conversationId } = await startWithConfig(harness, {
    input: asking(locate('call_1')),
    config: { tools: [mine] },
  });
  const next = { input: 'And now?', on_active_turn: 'enqueue' };
  const { body } = await harness.call('POST', `/v1/conversations/${conversationId}/turns`, { body: next });

  await harness.workUntilIdle();
  const turn = (await loadTurn(harness.db, id)) as Turn;

  expect(await harness.findTurn(body.id as string)).toMatchObject({ status: 'completed' });
  expect(presentFreshRound(turn, 1)?.results).toMatchObject([{ status: 'handed_over' }]);
});

async function workAndCount(harness: Harness): Promise<string[]> {
  const jobs: string[] = [];
  const noting: JobHandler = async (job) => {
    jobs.push(job.name);
    await harness.handle(job);
  };
  while (await harness.workOnce(noting));
  return jobs;
}
