import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { answered, asking, look, openApproving, pay } from '#test/api/openai/responses/approving.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';

type Opened = Awaited<ReturnType<typeof openApproving>>;

/** Creates a response that adopts calls, and returns the id of its turn. */
async function adopt(opened: Opened, { calls = ['call_pay'], ...body }: { calls?: string[]; pawl?: object } = {}) {
  const asked = await opened.ask(...calls.map((id) => pay(id)));
  const input = asked.requests.map((id) => answered(id, true, 'It is due.'));
  const { id } = await opened.start({ previous_response_id: asked.id, input, ...body });
  return id.replace('resp_', 'turn_');
}

const categoryOf = ({ adopted_calls: adopted }: TurnResource) =>
  adopted?.results.map(({ status, error }) => error?.category ?? status);

describeQueue(({ redis }) => {
  test('an adopted call runs once, and the model is asked once, if jobs arrive 3 times', async () => {
    await using opened = await openApproving({ redis });
    const { harness } = opened;
    const id = await adopt(opened);
    const before = harness.modelRequests.length;

    await harness.workUntilIdle({ deliveries: 3 });

    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'All is paid.' });
    expect(opened.called()).toHaveLength(1);
    expect(harness.modelRequests).toHaveLength(before + 1);
  });
});

test('a turn shows its adopted calls in its events, its ledger and the history', async () => {
  await using opened = await openApproving();
  const { harness } = opened;
  const id = await adopt(opened);
  const queued = await harness.findTurn(id);

  expect(queued).toMatchObject({ status: 'queued', round: 0, phase: null, rounds: [], usage: { tool_calls: 1 } });
  await harness.workOnce();
  const running = await harness.findTurn(id);
  await harness.workUntilIdle();

  expect(running).toMatchObject({ status: 'in_progress', round: 1, phase: 'llm_round' });
  const result = { tool_call_id: 'call_pay', status: 'success', content: 'paid', attempts: 1 };
  const turn = await harness.findTurn(id);
  const adopted = { tool_calls: [{ id: 'call_pay', name: 'pay', arguments: { city: 'Rome' } }], results: [result] };
  expect(turn).toMatchObject({ adopted_calls: adopted, round: 1, last_event: 5 });
  const events = await harness.listEvents(id);
  expect(events).toMatchObject([
    ...[{ type: 'turn.queued' }, { type: 'turn.started' }],
    { type: 'tool_call.completed', round: 0, name: 'pay', result },
    { type: 'round.completed', round: 1 },
    { type: 'turn.completed', turn: { adopted_calls: adopted } },
  ]);
  const { body: ledger } = await harness.call('GET', `/v1/turns/${id}/rounds`);
  expect(ledger.adopted_calls).toMatchObject({
    results: [{ ...result, effect: 'at_most_once', approval: { decision: 'allow', reason: 'It is due.' } }],
  });
  const path = `/v1/conversations/${turn.conversation_id}/messages?format=compact`;
  const { body: messages } = await harness.call<{ data: object[] }>('GET', path);
  expect(messages.data.at(-1)).toMatchObject({ role: 'assistant', adopted_calls: adopted });
});

test('an adopted call of a lost worker is not repeated, and its outcome is unknown', async () => {
  await using opened = await openApproving({ reply: () => null });
  const { harness, server } = opened;
  const id = await adopt(opened);

  const working = harness.workOnce();
  const arrived = await server.arrival(1);
  await harness.advance(7_000);
  await using second = await createHarness({ env: harness.env });
  await second.rescue();
  await second.workUntilIdle();
  arrived.answer({ status: 200, body: 'paid, too late' });
  await working;

  const turn = await second.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: 'All is paid.' });
  expect(categoryOf(turn)).toEqual(['outcome_unknown']);
  expect(opened.called()).toHaveLength(1);
});

test('a lost job of adopted calls is rescued, also after the last result', async () => {
  await using opened = await openApproving();
  const { harness } = opened;
  const id = await adopt(opened);

  for (const run of [async () => {}, harness.handle, async () => {}]) {
    await harness.workOnce(run);
    await harness.advance(6_000);
    await harness.rescue();
  }
  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
  expect(opened.called()).toHaveLength(1);
});

test('a cancel settles a running adopted call, and a late result is dropped', async () => {
  await using opened = await openApproving({ reply: () => null });
  const { harness, server } = opened;
  const id = await adopt(opened);
  const working = harness.workOnce();
  const arrived = await server.arrival(1);

  await harness.call('POST', `/v1/turns/${id}/cancel`);
  arrived.answer({ status: 200, body: 'paid' });
  await working;

  const turn = await harness.findTurn(id);
  expect([turn.status, categoryOf(turn)]).toEqual(['cancelled', ['outcome_unknown']]);
});

test('a retry after a failed first round does not repeat adopted calls', async () => {
  await using opened = await openApproving();
  const { harness } = opened;
  const id = await adopt(opened);
  await harness.workOnce();
  await harness.db.updateTable('work').set({ starts: 10 }).where('id', '=', id).execute();
  harness.worker.turnCache.invalidate(id);
  await harness.workUntilIdle();
  const failed = await harness.findTurn(id);

  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'poison_turn' } });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', round: 1 });
  expect(opened.called()).toHaveLength(1);
});

test('adopted calls count toward max_tool_calls of the turn that runs them', async () => {
  await using opened = await openApproving();
  const id = await adopt(opened, { calls: ['call_a', 'call_b', 'call_c'], pawl: { limits: { max_tool_calls: 2 } } });

  await opened.harness.workUntilIdle();

  const turn = await opened.harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_tool_calls' } });
  expect(categoryOf(turn)).toEqual(['success', 'success', 'cancelled']);
  expect(opened.called()).toHaveLength(2);
});

test('a later call of the model gets its own id, even if the model repeats an id', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay('call_0'));
  const input = [answered(asked.requests[0]!), { role: 'user' as const, content: asking(look('call_0')) }];

  const { id } = await opened.run({ previous_response_id: asked.id, input, tools: opened.tools });

  const turn = await opened.harness.findTurn(id.replace('resp_', 'turn_'));
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ results: [{ status: 'success' }] }, {}] });
  expect(turn.rounds[0]!.tool_calls[0]!.id).not.toBe('call_0');
});
