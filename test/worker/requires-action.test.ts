import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const locate = { name: 'locate_user', description: 'Asks the device where the user is', execution: { kind: 'client' } };
const pay = {
  name: 'send_postcard',
  description: 'Sends a postcard to a city, once',
  approval: 'always',
  parameters: city(),
};
const weather = { name: 'weather_lookup', arguments: { city: 'Tokyo' }, id: 'call_weather' };
const asks = (...tools: object[]) => scripted({ rounds: [{ tools: tools as never }], answer: 'Got {{results}}' });
const where = { name: 'locate_user', arguments: {}, id: 'call_where' };
const postcard = { name: 'send_postcard', arguments: { city: 'Kyoto' }, id: 'call_card' };

function city() {
  return { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
}

function answer(harness: Harness, turn: TurnResource, body: object, kind = 'tool_outputs') {
  return harness.call<TurnResource & { error?: { code: string } }>('POST', `/v1/turns/${turn.id}/${kind}`, { body });
}

async function startWaiting(harness: Harness, tools: unknown[], ...calls: object[]): Promise<TurnResource> {
  return harness.runTurn({ input: asks(...calls), tools });
}

test('a turn waits for a client-side call and continues with its output', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate], where);
  expect(turn).toMatchObject({
    status: 'requires_action',
    required_action: { tool_outputs: [{ id: 'call_where' }], approvals: [] },
  });
  const { status } = await answer(harness, turn, {
    tool_outputs: [{ tool_call_id: 'call_where', output: { lat: 35.7 } }],
  });
  await harness.workUntilIdle();

  expect(status).toBe(200);
  expect(await harness.findTurn(turn.id)).toMatchObject({
    status: 'completed',
    output: 'Got {"lat":35.7}',
    required_action: null,
  });
  const types = (await harness.listEvents(turn.id)).map((event) => event.type);
  expect(types).toEqual([
    ...['turn.queued', 'turn.started', 'round.completed', 'turn.requires_action'],
    ...['tool_call.completed', 'turn.resumed', 'round.completed', 'turn.completed'],
  ]);
});

test('siblings that need no answer run while a call waits', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate, 'weather_lookup'], where, weather);

  expect(turn.status).toBe('requires_action');
  expect(turn.rounds[0]?.results.map((result) => result.status)).toEqual(['pending', 'success']);
});

test('partial answers leave the rest pending, and a repeated answer has no effect', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate], where, { ...where, id: 'call_again' });
  const first = { tool_outputs: [{ tool_call_id: 'call_where', output: 'Tokyo' }] };

  const partial = await answer(harness, turn, first);
  const repeated = await answer(harness, turn, first);

  expect(partial.body).toMatchObject({
    status: 'requires_action',
    required_action: { tool_outputs: [{ id: 'call_again' }] },
  });
  expect(repeated).toMatchObject({ status: 200, body: { last_event: partial.body.last_event } });
});

test('an answer with its keys in another order, or as text, is the same answer', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate], where, { ...where, id: 'call_again' });
  const outputs = [
    { at: [{ lat: 1, lon: 2 }], by: 'gps' },
    { by: 'gps', at: [{ lon: 2, lat: 1 }] },
  ];
  const repeated = [outputs[0], outputs[1], JSON.stringify(outputs[1], null, 2), { ...outputs[1], by: 'hand' }];

  const said = repeated.map((output) => ({ tool_outputs: [{ tool_call_id: 'call_where', output }] }));
  const statuses: number[] = [];
  for (const body of said) statuses.push((await answer(harness, turn, body)).status);

  expect(statuses).toEqual([200, 200, 200, 409]);
});

test.for([
  { ends: 'cancelled', says: 'The turn ended before this call was answered. It may have been under way.' },
  { ends: 'expired', says: 'Nobody answered this call in time.' },
])('an answer to a call that was $ends is refused with the reason', async (given) => {
  await using harness = await createHarness();
  const expiring = [locate, pay].map((tool) => ({ ...tool, expires_in_seconds: 3600 }));
  const turn = await startWaiting(harness, expiring, where, postcard);
  const answers = {
    tool_outputs: [{ tool_call_id: 'call_where', output: 'Tokyo' }],
    approvals: [{ tool_call_id: 'call_card', decision: 'allow' }],
  };
  const sayAll = () =>
    Promise.all([
      answer(harness, turn, { tool_outputs: answers.tool_outputs }),
      answer(harness, turn, { approvals: answers.approvals }, 'approvals'),
    ]);

  if (given.ends === 'cancelled') await harness.call('POST', `/v1/turns/${turn.id}/cancel`);
  else await harness.advance(3_600_001);
  const refused = await sayAll();
  await harness.rescue();
  await harness.workUntilIdle();
  const afterwards = await sayAll();

  for (const { status, body } of [...refused, ...afterwards]) {
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: 'tool_call_not_waiting',
      message: expect.stringContaining(`accepts no more answers: ${given.says}`),
    });
  }
});

test.for([
  {
    body: { tool_outputs: [{ tool_call_id: 'call_where', output: 'Osaka' }] },
    status: 409,
    code: 'tool_call_answered',
  },
  {
    body: { tool_outputs: [{ tool_call_id: 'call_weather', output: 'x' }] },
    status: 409,
    code: 'tool_call_not_waiting',
  },
  { body: { tool_outputs: [{ tool_call_id: 'call_none', output: 'x' }] }, status: 404, code: 'tool_call_not_found' },
])('a contradicting, unwanted or unknown answer is refused: $code', async ({ body, status, code }, { harness }) => {
  const turn = await startWaiting(harness, [locate, 'weather_lookup'], where, weather);
  await answer(harness, turn, { tool_outputs: [{ tool_call_id: 'call_where', output: 'Tokyo' }] });

  expect(await answer(harness, turn, body)).toMatchObject({ status, body: { error: { code } } });
});

test('an error from the client is a result for the model', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate], where);
  const error = { category: 'permission_denied', message: 'The user said no', details: { asked: 'once' } };

  await answer(harness, turn, { tool_outputs: [{ tool_call_id: 'call_where', error }] });
  await harness.workUntilIdle();

  const { output } = await harness.findTurn(turn.id);
  expect(output).toBe('Got Tool execution failed (permission_denied): The user said no\nDetails: asked: once');
});

test('a call that needs approval runs after it is allowed', async ({ harness }) => {
  const turn = await startWaiting(harness, [pay], postcard);
  expect(turn.required_action).toMatchObject({ tool_outputs: [], approvals: [{ id: 'call_card' }] });

  const allowed = await answer(
    harness,
    turn,
    { approvals: [{ tool_call_id: 'call_card', decision: 'allow' }] },
    'approvals',
  );
  await harness.workUntilIdle();

  expect(allowed.body).toMatchObject({ status: 'in_progress', required_action: null });
  expect(await harness.findTurn(turn.id)).toMatchObject({ status: 'completed', output: 'Got sent to Kyoto' });
});

test('a denied call is answered permission_denied and never runs', async ({ harness }) => {
  const turn = await startWaiting(harness, [pay], postcard);
  const approvals = [{ tool_call_id: 'call_card', decision: 'deny', reason: 'too expensive' }];

  await answer(harness, turn, { approvals }, 'approvals');
  await harness.workUntilIdle();

  const { rounds, output } = await harness.findTurn(turn.id);
  expect(rounds[0]?.results[0]).toMatchObject({
    status: 'error',
    error: { category: 'permission_denied' },
    attempts: 0,
  });
  expect(output).toContain('too expensive');
});

test('calls for a client and calls for an approval may wait in the same batch', async ({ harness }) => {
  const turn = await startWaiting(harness, [locate, pay], where, postcard);

  await answer(harness, turn, { approvals: [{ tool_call_id: 'call_card', decision: 'allow' }] }, 'approvals');
  await harness.workUntilIdle();
  const still = await harness.findTurn(turn.id);
  await answer(harness, turn, { tool_outputs: [{ tool_call_id: 'call_where', output: 'here' }] });
  await harness.workUntilIdle();

  expect(still).toMatchObject({ status: 'requires_action', required_action: { tool_outputs: [{ id: 'call_where' }] } });
  expect(await harness.findTurn(turn.id)).toMatchObject({ status: 'completed', output: 'Got here\nsent to Kyoto' });
});

test('a call without an answer in time is given up, and the turn continues', async ({ harness }) => {
  const turn = await startWaiting(harness, [{ ...locate, expires_in_seconds: 3600 }], where);
  expect(turn.required_action?.expires_at).not.toBeNull();

  expect(await harness.rescue()).toBe(0);
  await harness.advance(3_600_001);
  expect(await harness.rescue()).toBe(1);
  await harness.workUntilIdle();

  expect(await harness.findTurn(turn.id)).toMatchObject({ status: 'completed' });
  expect((await harness.findTurn(turn.id)).rounds[0]?.results[0]?.error?.category).toBe('cancelled');
});

test('a turn in requires_action is not enqueued, even after a long wait', async ({ harness }) => {
  await startWaiting(harness, [locate], where);

  await harness.advance(30 * 24 * 3_600_000);

  expect(await harness.rescue()).toBe(0);
});
