import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';

type Policy = 'enqueue' | 'reject' | 'interrupt';

/** Creates a conversation, with functions to add turns and to read the active turn. */
async function openConversation(harness: Harness) {
  const { body } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const path = `/v1/conversations/${body.id}`;
  return {
    path,
    say: (input: string, policy?: Policy) =>
      harness.call<TurnResource>('POST', `${path}/turns`, { body: { input, on_active_turn: policy } }),
    activeTurn: async () => (await harness.call('GET', path)).body.active_turn_id,
  };
}

async function statuses(harness: Harness, turns: { body: TurnResource }[]): Promise<string[]> {
  return Promise.all(turns.map(async ({ body }) => (await harness.findTurn(body.id)).status));
}

test('turns of a conversation run in the order of their arrival', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const turns = [await say('one'), await say('two', 'enqueue'), await say('three')];
  const before = await statuses(harness, turns);
  await harness.workOnce();
  const between = await statuses(harness, turns);
  await harness.workUntilIdle();

  expect(turns.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(before).toEqual(['queued', 'queued', 'queued']);
  expect(between).toEqual(['completed', 'queued', 'queued']);
  expect(await statuses(harness, turns)).toEqual(['completed', 'completed', 'completed']);
  expect(harness.modelRequests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['one', 'two', 'three']);
});

test('a turn with a higher priority does not pass another turn of its conversation', async ({ harness }) => {
  const { path, say } = await openConversation(harness);

  await say('first');
  await harness.call('POST', `${path}/turns`, { body: { input: 'urgent', priority: 9 } });
  await harness.workUntilIdle();

  expect(harness.modelRequests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['first', 'urgent']);
});

test('on_active_turn reject answers 409 while a turn is active, and 202 afterwards', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const first = await say('one', 'reject');
  const refused = await say('two', 'reject');
  await harness.workUntilIdle();
  const later = await say('three', 'reject');

  expect(first.status).toBe(202);
  expect(describeRefusal(refused)).toBe('409 conversation_busy: on_active_turn');
  expect(later.status).toBe(202);
});

test('one of many concurrent turns with on_active_turn reject is accepted', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => say(`${index}`, 'reject')));

  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
});

test('on_active_turn interrupt cancels the active turn and all queued turns', async ({ harness }) => {
  const { say, activeTurn } = await openConversation(harness);

  const turns = [await say('one'), await say('two'), await say('three')];
  const interrupting = await say('stop, do this', 'interrupt');

  expect(await statuses(harness, turns)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await activeTurn()).toBe(interrupting.body.id);
  await harness.workUntilIdle();
  expect(await statuses(harness, [interrupting])).toEqual(['completed']);
  expect(harness.modelRequests.map(({ body }) => body.messages)).toEqual([
    [{ role: 'user', content: 'stop, do this' }],
  ]);
});

test('on_active_turn interrupt does not change ended turns', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const done = await say('one');
  await harness.workUntilIdle();
  const before = await harness.findTurn(done.body.id);
  await say('two', 'interrupt');

  expect(await harness.findTurn(done.body.id)).toEqual(before);
});

test('active_turn_id is the active turn of the conversation, or null', async ({ harness }) => {
  const { say, activeTurn } = await openConversation(harness);

  const resting = await activeTurn();
  const [first, second] = [await say('one'), await say('two')];
  const atFirst = await activeTurn();
  await harness.workOnce();
  const atSecond = await activeTurn();
  await harness.workUntilIdle();

  expect([resting, atFirst, atSecond, await activeTurn()]).toEqual([null, first.body.id, second.body.id, null]);
});

test('a turn runs after the turn before it is cancelled', async ({ harness }) => {
  const { say } = await openConversation(harness);

  const [first, second] = [await say('one'), await say('two')];
  await harness.call('POST', `/v1/turns/${first.body.id}/cancel`);
  await harness.workUntilIdle();

  expect(await statuses(harness, [first, second])).toEqual(['cancelled', 'completed']);
});

test('a conversation with an active turn is not deleted, and wholly deleted afterwards', async ({ harness }) => {
  const { path, say } = await openConversation(harness);
  const { body: turn } = await say('one');

  const refused = await harness.call('DELETE', path);
  await harness.workUntilIdle();
  const deleted = await harness.call('DELETE', path);
  const afterwards = await Promise.all([
    harness.call('GET', path),
    harness.call('DELETE', path),
    harness.call('GET', `${path}/messages`),
    harness.call('GET', `/v1/turns/${turn.id}`),
    harness.call('GET', `/v1/turns/${turn.id}/events`),
  ]);

  expect(describeRefusal(refused)).toBe('409 conversation_busy: null');
  expect(deleted).toMatchObject({ status: 204, body: null });
  expect(afterwards.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(await harness.call('GET', '/v1/turns')).toMatchObject({ body: { data: [] } });
});

test('a turn that starts while the turn before it ends still runs', async ({ harness }) => {
  const first = await Promise.all(Array.from({ length: 20 }, () => harness.startTurn({ input: 'First.' })));
  const working = Promise.all(Array.from({ length: 20 }, () => harness.workOnce()));

  const second = await Promise.all(
    first.map(({ conversation_id: id }) =>
      harness.call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Second.' } }),
    ),
  );
  await working;
  await harness.workUntilIdle();

  const turns = await Promise.all(second.map(({ body }) => harness.findTurn(body.id)));
  expect(turns.map(({ status }) => status)).toEqual(first.map(() => 'completed'));
});
