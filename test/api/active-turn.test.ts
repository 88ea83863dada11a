import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { describeRefusal } from './refusals.ts';

type Policy = 'enqueue' | 'reject' | 'interrupt';

/** A conversation with the means to add turns to it and to see how all of them stand. */
async function openConversation(world: World) {
  const { body } = await world.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const path = `/v1/conversations/${body.id}`;
  return {
    path,
    say: (input: string, policy?: Policy) =>
      world.call<TurnResource>('POST', `${path}/turns`, { body: { input, on_active_turn: policy } }),
    activeTurn: async () => (await world.call('GET', path)).body.active_turn_id,
  };
}

async function statuses(world: World, turns: { body: TurnResource }[]): Promise<string[]> {
  return Promise.all(turns.map(async ({ body }) => (await world.findTurn(body.id)).status));
}

test('turns of a conversation run one after the other in the order they came', async () => {
  await using world = await createWorld();
  const { say } = await openConversation(world);

  const turns = [await say('one'), await say('two', 'enqueue'), await say('three')];
  const before = await statuses(world, turns);
  await world.workOnce();
  const between = await statuses(world, turns);
  await world.workUntilIdle();

  expect(turns.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(before).toEqual(['queued', 'queued', 'queued']);
  expect(between).toEqual(['completed', 'queued', 'queued']);
  expect(await statuses(world, turns)).toEqual(['completed', 'completed', 'completed']);
  expect(world.asked.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['one', 'two', 'three']);
});

test('priority does not let a turn pass another of its conversation', async () => {
  await using world = await createWorld();
  const { path, say } = await openConversation(world);

  await say('first');
  await world.call('POST', `${path}/turns`, { body: { input: 'urgent', priority: 9 } });
  await world.workUntilIdle();

  expect(world.asked.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['first', 'urgent']);
});

test('reject is 409 while a turn is active, and taken after it', async () => {
  await using world = await createWorld();
  const { say } = await openConversation(world);

  const first = await say('one', 'reject');
  const refused = await say('two', 'reject');
  await world.workUntilIdle();
  const later = await say('three', 'reject');

  expect(first.status).toBe(202);
  expect(describeRefusal(refused)).toBe('409 conversation_busy: on_active_turn');
  expect(later.status).toBe(202);
});

test('of many that would reject each other exactly one gets in', async () => {
  await using world = await createWorld();
  const { say } = await openConversation(world);

  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => say(`${index}`, 'reject')));

  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
});

test('interrupt cancels the active turn and all queued behind it', async () => {
  await using world = await createWorld();
  const { say, activeTurn } = await openConversation(world);

  const turns = [await say('one'), await say('two'), await say('three')];
  const interrupting = await say('stop, do this', 'interrupt');

  expect(await statuses(world, turns)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await activeTurn()).toBe(interrupting.body.id);
  await world.workUntilIdle();
  expect(await statuses(world, [interrupting])).toEqual(['completed']);
  expect(world.asked.map(({ body }) => body.messages)).toEqual([[{ role: 'user', content: 'stop, do this' }]]);
});

test('interrupt leaves what has ended as it was', async () => {
  await using world = await createWorld();
  const { say } = await openConversation(world);

  const done = await say('one');
  await world.workUntilIdle();
  const before = await world.findTurn(done.body.id);
  await say('two', 'interrupt');

  expect(await world.findTurn(done.body.id)).toEqual(before);
});

test('active_turn_id is the turn the conversation is at, and null when it rests', async () => {
  await using world = await createWorld();
  const { say, activeTurn } = await openConversation(world);

  const resting = await activeTurn();
  const [first, second] = [await say('one'), await say('two')];
  const atFirst = await activeTurn();
  await world.workOnce();
  const atSecond = await activeTurn();
  await world.workUntilIdle();

  expect([resting, atFirst, atSecond, await activeTurn()]).toEqual([null, first.body.id, second.body.id, null]);
});

test('a turn behind one that is cancelled comes to its own', async () => {
  await using world = await createWorld();
  const { say } = await openConversation(world);

  const [first, second] = [await say('one'), await say('two')];
  await world.call('POST', `/v1/turns/${first.body.id}/cancel`);
  await world.workUntilIdle();

  expect(await statuses(world, [first, second])).toEqual(['cancelled', 'completed']);
});

test('a conversation cannot be deleted while a turn is active, and is gone with all of its own after', async () => {
  await using world = await createWorld();
  const { path, say } = await openConversation(world);
  const { body: turn } = await say('one');

  const refused = await world.call('DELETE', path);
  await world.workUntilIdle();
  const deleted = await world.call('DELETE', path);
  const afterwards = await Promise.all([
    world.call('GET', path),
    world.call('DELETE', path),
    world.call('GET', `${path}/messages`),
    world.call('GET', `/v1/turns/${turn.id}`),
    world.call('GET', `/v1/turns/${turn.id}/events`),
  ]);

  expect(describeRefusal(refused)).toBe('409 conversation_busy: null');
  expect(deleted).toMatchObject({ status: 204, body: null });
  expect(afterwards.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(await world.call('GET', '/v1/turns')).toMatchObject({ body: { data: [] } });
});

test('a turn that comes at the very moment the one before it ends is not left behind', async () => {
  await using world = await createWorld();
  const first = await Promise.all(Array.from({ length: 20 }, () => world.startTurn({ input: 'First.' })));
  const working = Promise.all(Array.from({ length: 20 }, () => world.workOnce()));

  const second = await Promise.all(
    first.map(({ conversation_id: id }) =>
      world.call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Second.' } }),
    ),
  );
  await working;
  await world.workUntilIdle();

  const turns = await Promise.all(second.map(({ body }) => world.findTurn(body.id)));
  expect(turns.map(({ status }) => status)).toEqual(first.map(() => 'completed'));
});
