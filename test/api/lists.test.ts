import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld, type World } from '#test/world/create-world.ts';

type List<Item> = { object: string; data: Item[]; has_more: boolean; next_cursor: string | null };

async function list<Item = TurnResource>({ call }: World, path: string): Promise<List<Item>> {
  const { status, body } = await call<List<Item>>('GET', path);
  expect(status).toBe(200);
  return body;
}

test('an empty list is a list', async () => {
  await using world = await createWorld();

  const empty = { object: 'list', data: [], has_more: false, next_cursor: null };

  expect(await list(world, '/v1/turns')).toEqual(empty);
  expect(await list(world, '/v1/conversations')).toEqual(empty);
});

test.each(['turns', 'conversations'])('%s are listed newest first, each exactly once over all pages', async (what) => {
  await using world = await createWorld();
  const started: TurnResource[] = [];
  for (const input of ['1', '2', '3', '4', '5']) started.push(await world.startTurn({ input }));
  const expected = started.map((turn) => (what === 'turns' ? turn.id : turn.conversation_id)).reverse();

  const first = await list(world, `/v1/${what}?limit=2`);
  const second = await list(world, `/v1/${what}?limit=2&cursor=${first.next_cursor}`);
  const third = await list(world, `/v1/${what}?limit=2&cursor=${second.next_cursor}`);

  expect([first, second, third].map(({ has_more }) => has_more)).toEqual([true, true, false]);
  expect(third.next_cursor).toBeNull();
  expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
});

test('a page that is just full is the last one', async () => {
  await using world = await createWorld();
  await world.startTurn({ input: '1' });
  await world.startTurn({ input: '2' });

  const page = await list(world, '/v1/turns?limit=2');

  expect(page).toMatchObject({ has_more: false, next_cursor: null });
});

test('what is started while somebody pages does not shift the pages', async () => {
  await using world = await createWorld();
  const old = [await world.startTurn({ input: '1' }), await world.startTurn({ input: '2' })];
  await world.startTurn({ input: '3' });

  const first = await list(world, '/v1/turns?limit=1');
  await world.startTurn({ input: '4' });
  const rest = await list(world, `/v1/turns?cursor=${first.next_cursor}`);

  expect(rest.data.map(({ id }) => id)).toEqual([old[1]?.id, old[0]?.id]);
});

test('turns can be listed by status, by conversation and by both', async () => {
  await using world = await createWorld();
  const done = await world.startTurn({ input: '1' });
  await world.workUntilIdle();
  const path = `/v1/conversations/${done.conversation_id}/turns`;
  const { body: waiting } = await world.call<TurnResource>('POST', path, { body: { input: '2' } });
  const other = await world.startTurn({ input: '3' });
  const idsOf = async (query: string) => (await list(world, `/v1/turns?${query}`)).data.map(({ id }) => id);

  expect(await idsOf('status=completed')).toEqual([done.id]);
  expect(await idsOf('status=queued')).toEqual([other.id, waiting.id]);
  expect(await idsOf('status=failed')).toEqual([]);
  expect(await idsOf(`conversation_id=${done.conversation_id}`)).toEqual([waiting.id, done.id]);
  expect(await idsOf(`conversation_id=${done.conversation_id}&status=queued`)).toEqual([waiting.id]);
  expect(await idsOf('conversation_id=conv_nobody')).toEqual([]);
});

test('a listed turn is the same as the one that is read', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });
  await world.workUntilIdle();

  const { data } = await list(world, '/v1/turns');

  expect(data).toEqual([await world.findTurn(id)]);
});

test('the rounds of a turn can be read alone', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  await world.workUntilIdle();

  const { data, has_more } = await list(world, `/v1/turns/${id}/rounds`);

  expect(has_more).toBe(false);
  expect(data).toMatchObject((await world.findTurn(id)).rounds);
  expect(data).toHaveLength(2);
});

test('a long poll answers as soon as the turn has ended', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  const polling = world.call<TurnResource>('GET', `/v1/turns/${id}?wait=60`);
  await world.workUntilIdle();
  const { status, headers, body } = await polling;

  expect([status, body.status]).toEqual([200, 'completed']);
  expect(headers.get('pawl-poll-after-ms')).toBeNull();
});

test('a long poll with after answers as soon as something has happened since', async () => {
  await using world = await createWorld();
  const { id, last_event } = await world.startTurn({ input: 'Look', tools: ['weather_lookup'] });

  const polling = world.call<TurnResource>('GET', `/v1/turns/${id}?wait=60&after=${last_event}`);
  await world.workOnce();
  const { headers, body } = await polling;

  expect(body.status).toBe('in_progress');
  expect(body.last_event).toBeGreaterThan(last_event);
  expect(Number(headers.get('pawl-poll-after-ms'))).toBeGreaterThan(0);
});

test('a long poll that waits in vain answers what is true then', async () => {
  await using world = await createWorld();
  const turn = await world.startTurn({ input: 'Hi' });

  const { status, body } = await world.call('GET', `/v1/turns/${turn.id}?wait=0.05&after=99`);

  expect([status, body]).toEqual([200, turn]);
});
