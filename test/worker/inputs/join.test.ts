import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../../api/refusals.ts';

const say = ({ call }: Harness, id: string, input: unknown, headers: Record<string, string> = {}) =>
  call<TurnResource>('POST', `/v1/turns/${id}/input`, { body: { input }, headers });

/** Returns the messages of the last model request, each with its role. */
const sent = ({ modelRequests }: Harness) =>
  (modelRequests.at(-1)!.body as { messages: { role: string; content: unknown }[] }).messages.map(
    ({ role, content }) => `${role}: ${content}`,
  );

const typesOf = async (harness: Harness, id: string) => (await harness.listEvents(id)).map(({ type }) => type);

test('an input that joins between two rounds is sent after the results of the first', async ({ harness }) => {
  const input = scripted({
    rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' }, id: 'call_1' }] }],
  });
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'] });
  await harness.workOnce();

  const joined = await harness.call<TurnResource>('POST', `/v1/turns/${id}/input`, {
    body: { input: scripted({ answer: 'Both.' }), metadata: { by: 'Ada' } },
  });
  const done = await workUntilEnded(harness, id);

  const message = { role: 'user', content: scripted({ answer: 'Both.' }) };
  expect(joined).toMatchObject({ status: 200, body: { id, status: 'in_progress', pending_input: [message] } });
  expect(done).toMatchObject({ status: 'completed', output: 'Both.', pending_input: [] });
  expect(done.input).toEqual([{ role: 'user', content: input }]);
  expect(done.rounds.map((round) => round.input)).toEqual([[], [message]]);
  expect(sent(harness).map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'tool', 'user']);
  const events = await harness.listEvents(id);
  expect(events.find(({ type }) => type === 'input.added')).toMatchObject({
    input: [message],
    metadata: { by: 'Ada' },
  });
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index + 1));
});

test('an answer becomes a round, and its turn continues, if an input joined meanwhile', async ({ harness }) => {
  const { id, conversation_id } = await harness.startTurn({ input: scripted({ answer: 'First.' }) });
  const held = harness.holdModel();
  const round = harness.workOnce();
  await untilStarted(harness, id);

  await say(harness, id, scripted({ answer: 'Second.' }), { 'idempotency-key': 'one' });
  const again = await say(harness, id, scripted({ answer: 'Second.' }), { 'idempotency-key': 'one' });
  held.open();
  await round;
  const between = await harness.findTurn(id);
  const done = await workUntilEnded(harness, id);
  const late = await say(harness, id, 'Too late');

  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(between).toMatchObject({ status: 'in_progress', output: null, round: 2, pending_input: [{ role: 'user' }] });
  expect(between.rounds).toMatchObject([{ assistant_response: 'First.', tool_calls: [], results: [], input: [] }]);
  expect(done).toMatchObject({ status: 'completed', output: 'Second.', pending_input: [] });
  expect(done.rounds.map(({ input }) => input.length)).toEqual([0, 1]);
  expect(harness.modelRequests).toHaveLength(2);
  expect(sent(harness)[1]).toBe('assistant: First.');
  expect(await typesOf(harness, id)).toEqual([
    ...['turn.queued', 'turn.started', 'input.added', 'round.completed', 'round.completed', 'turn.completed'],
  ]);
  expect(describeRefusal(late)).toMatch(/^409 turn_ended/);

  const { body: next } = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, {
    body: { input: 'And now?' },
  });
  await workUntilEnded(harness, next.id);
  expect(sent(harness).map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
});

test('an input joins a queued turn’s input, or follows the results that a turn awaits', async ({ harness }) => {
  const asks = { rounds: [{ tools: [{ name: 'locate', arguments: {}, id: 'call_1' }] }] };
  const { id } = await harness.startTurn({
    input: 'Hello',
    tools: [{ name: 'locate', description: 'Asks the device where the user is' }],
  });

  const queued = await say(harness, id, scripted(asks));
  await harness.workUntilIdle();
  const waiting = await say(harness, id, [
    { role: 'user', content: 'Quick, please' },
    { role: 'user', content: scripted({ answer: 'Here.' }) },
  ]);
  await harness.workUntilIdle();
  const stillWaiting = await harness.findTurn(id);
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, {
    body: { tool_outputs: [{ tool_call_id: 'call_1', output: 'Lisbon' }] },
  });
  const done = await workUntilEnded(harness, id);

  expect(queued.body.input.map(({ content }) => content)).toEqual(['Hello', scripted(asks)]);
  expect(queued.body.pending_input).toEqual([]);
  expect(waiting.body).toMatchObject({ status: 'requires_action', pending_input: [{ content: 'Quick, please' }, {}] });
  expect(stillWaiting).toEqual(waiting.body);
  expect(done).toMatchObject({ status: 'completed', output: 'Here.' });
  expect(done.input).toHaveLength(2);
  expect(done.rounds.map(({ input }) => input.length)).toEqual([0, 2]);
  expect(sent(harness).map((line) => line.split(':')[0])).toEqual([
    'user',
    'user',
    'assistant',
    'tool',
    'user',
    'user',
  ]);
});

test('a failed turn keeps its unsent inputs, and a retry sends them', async ({ harness }) => {
  const { id } = await harness.startTurn({
    input: scripted({ final: { fault: { kind: 'status', status: 401 } } }),
  });
  await harness.whileModelThinks(() => say(harness, id, scripted({ answer: 'Again.' })));
  await harness.workUntilIdle();

  const failed = await harness.findTurn(id);
  await harness.call('POST', `/v1/turns/${id}/retry`);
  const done = await workUntilEnded(harness, id);

  expect(failed).toMatchObject({ status: 'failed', pending_input: [{ content: scripted({ answer: 'Again.' }) }] });
  expect(done).toMatchObject({ status: 'completed', output: 'Again.', pending_input: [] });
  expect(done.rounds).toMatchObject([{ number: 1, input: [{ content: scripted({ answer: 'Again.' }) }] }]);
});

test('an input that joins while the next round waits for a worker is sent with it', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Lisbon' } }] }] });
  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'] });
  await harness.workOnce();
  await harness.workOnce();

  await say(harness, id, scripted({ answer: 'In time.' }));
  await harness.untilReceived('joined', id);
  const done = await workUntilEnded(harness, id);

  expect([done.output, done.rounds.length, harness.modelRequests.length]).toEqual(['In time.', 2, 2]);
});

async function untilStarted(harness: Harness, id: string): Promise<void> {
  while ((await harness.findTurn(id)).status === 'queued') await harness.call('GET', `/v1/turns/${id}?wait=1&after=1`);
}
