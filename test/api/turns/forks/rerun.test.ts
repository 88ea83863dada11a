import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../../refusals.ts';

const weather = (city: string) => ({ name: 'weather_lookup', arguments: { city } });
const postcard = (city: string) => ({ name: 'send_postcard', arguments: { city } });

function rerun(harness: Harness, turnId: string, body?: object) {
  return harness.call<TurnResource>('POST', `/v1/turns/${turnId}/rerun`, { body });
}

async function ended(harness: Harness, request: Record<string, unknown>): Promise<TurnResource> {
  const { id } = await harness.startTurn(request);
  await harness.workUntilIdle();
  return harness.findTurn(id);
}

function resultsOf({ rounds }: TurnResource) {
  return rounds.flatMap(({ results }) => results.map(({ status, content, cached }) => [status, content, cached]));
}

test('a rerun has the input, the history and the recorded results of its turn', async ({ harness }) => {
  const before = await ended(harness, { input: scripted({ answer: 'Hello.' }) });
  const note = { name: 'note_visit', arguments: { city: 'Rome' } };
  const input = scripted({
    rounds: [{ tools: [note, note] }, { tools: [postcard('Oslo')] }],
    answer: 'Got {{results}}',
  });
  const path = `/v1/conversations/${before.conversation_id}/turns`;
  const body = { input, tools: ['note_visit', 'send_postcard'] };
  const { body: started } = await harness.call<TurnResource>('POST', path, { body });
  await harness.workUntilIdle();
  const origin = await harness.findTurn(started.id);
  harness.modelRequests.length = 0;

  const { status, body: again } = await rerun(harness, origin.id, { metadata: { try: '2' } });
  await harness.workUntilIdle({ deliveries: 2 });
  const turn = await harness.findTurn(again.id);
  const types = (await harness.listEvents(again.id)).map(({ type }) => type);
  const sent = harness.modelRequests.at(0)?.body.messages as { content: unknown }[];

  expect(status).toBe(202);
  expect(turn).toMatchObject({ status: 'completed', rerun_of: origin.id, forked_from: null, input: origin.input });
  expect(turn).toMatchObject({ output: origin.output, metadata: { try: '2' } });
  expect(resultsOf(turn)).toEqual(resultsOf(origin).map(([done, content]) => [done, content, true]));
  expect(types).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'tool_call.completed', 'tool_call.completed'],
    ...['round.completed', 'tool_call.completed', 'round.completed', 'turn.completed'],
  ]);
  expect(sent.map(({ content }) => content)).toEqual([before.input[0]?.content, 'Hello.', input]);
  expect(await harness.findTurn(origin.id)).toEqual(origin);
});

test('a rerun keeps errors and client answers, and runs new calls that may run twice', async ({ harness }) => {
  const tools = [
    ...['weather_lookup', 'send_postcard'],
    { name: 'locate_user', description: 'Asks the device where the user is' },
    { name: 'note_visit', approval: 'always' },
  ];
  const first = {
    tools: [
      { name: 'locate_user', arguments: {}, id: 'call_1' },
      { name: 'note_visit', arguments: { city: 'Rome' }, id: 'call_2' },
    ],
  };
  const { id } = await harness.startTurn({ input: scripted({ rounds: [first, { tools: [weather('Rome')] }] }), tools });
  await harness.workUntilIdle();
  const error = { category: 'unknown', message: 'The device is off.' };
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, {
    body: { tool_outputs: [{ tool_call_id: 'call_1', error }] },
  });
  await harness.call('POST', `/v1/turns/${id}/approvals`, {
    body: { approvals: [{ tool_call_id: 'call_2', decision: 'deny' }] },
  });
  await harness.workUntilIdle();
  const origin = await harness.findTurn(id);
  const changed = scripted({
    rounds: [first, { tools: [weather('Rome'), weather('Rome'), weather('Oslo'), postcard('Oslo')] }],
  });
  await harness.db
    .updateTable('turns')
    .set({ input: [{ role: 'user', content: changed }] })
    .where('id', '=', id)
    .execute();

  const { body: reused } = await rerun(harness, id);
  await harness.workUntilIdle();
  const { body: run } = await rerun(harness, id, { tool_results: 'run', tools: ['weather_lookup', 'send_postcard'] });
  await harness.workUntilIdle();

  const [one, two] = (await harness.findTurn(reused.id)).rounds;
  expect(one?.results).toMatchObject(
    origin.rounds[0]!.results.map(({ error }) => ({ status: 'error', error, cached: true })),
  );
  expect(two?.results).toMatchObject([
    ...[
      { status: 'success', cached: true },
      { status: 'success', cached: true },
      { status: 'success', cached: false },
    ],
    { status: 'error', error: { category: 'permission_denied' }, cached: false },
  ]);
  expect((await harness.findTurn(run.id)).rounds[1]?.results.map(({ status, cached }) => [status, cached])).toEqual(
    Array(4).fill(['success', false]),
  );
});

test('a rerun requires an ended turn, and keeps its results if that turn is deleted', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [weather('Rome')] }, { tools: [postcard('Rome')] }] });
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup', 'send_postcard'] });
  const early = await rerun(harness, id);
  await harness.workUntilIdle();

  const key = { headers: { 'idempotency-key': 'once' } };
  const again = (await harness.call<TurnResource>('POST', `/v1/turns/${id}/rerun`, key)).body;
  await harness.workOnce();
  const removed = await harness.call('DELETE', `/v1/turns/${id}`);
  await harness.workUntilIdle();
  const repeated = await harness.call<TurnResource>('POST', `/v1/turns/${id}/rerun`, key);

  expect([repeated.status, repeated.body.id]).toEqual([202, again.id]);
  expect(describeRefusal(early)).toBe('409 turn_active: null');
  expect(describeRefusal(await rerun(harness, id))).toBe('404 turn_not_found: id');
  expect(removed.status).toBe(204);
  const turn = await harness.findTurn(again.id);
  expect([turn.status, turn.rerun_of]).toEqual(['completed', id]);
  expect(resultsOf(turn).map(([status, , cached]) => [status, cached])).toEqual(Array(2).fill(['success', true]));
});

test('a rerun, and a fork after the round that sent it, include a joined input', async ({ harness }) => {
  const locate = { name: 'locate_user', description: 'Asks the device where the user is' };
  const calls = [{ name: 'locate_user', arguments: {}, id: 'call_1' }];
  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ tools: calls }] }), tools: [locate] });
  await harness.workUntilIdle();
  const steered = scripted({ answer: 'As you say.' });
  await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: steered } });
  const output = { tool_outputs: [{ tool_call_id: 'call_1', output: 'here' }] };
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: output });
  await harness.workUntilIdle();
  const origin = await harness.findTurn(id);
  const fork = (body: object) => harness.call<TurnResource>('POST', `/v1/turns/${id}/fork`, { body });

  const { body: again } = await rerun(harness, id);
  await harness.workUntilIdle();
  const sentOf = () =>
    (harness.modelRequests.at(-1)!.body.messages as { content: unknown }[]).map(({ content }) => content);
  const sentAgain = sentOf();
  await fork({ after_round: 1, input: scripted({ answer: 'Before.' }) });
  await harness.workUntilIdle();
  const sentBefore = sentOf();
  await fork({ after_round: 2, input: scripted({ answer: 'Behind.' }) });
  await harness.workUntilIdle();
  const sentBehind = sentOf();
  await harness.call('DELETE', `/v1/turns/${id}`);
  const inputs = await harness.db.selectFrom('inputs').select('number').execute();

  expect(origin).toMatchObject({ output: 'As you say.', rounds: [{ input: [] }, { input: [{ content: steered }] }] });
  expect(again.input.map(({ content }) => content)).toEqual([origin.input[0]?.content, steered]);
  expect(sentAgain).toEqual([origin.input[0]?.content, steered]);
  expect(await harness.findTurn(again.id)).toMatchObject({ status: 'completed', output: 'As you say.' });
  expect(sentBefore).not.toContain(steered);
  expect(sentBehind).toContain(steered);
  expect(inputs).toHaveLength(1);
});
