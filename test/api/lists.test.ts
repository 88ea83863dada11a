import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';

type List<Item> = { object: string; data: Item[]; has_more: boolean; next_cursor: string | null };

const REFUSED = { kind: 'status', status: 401 } as const;
const LOCATE = { name: 'locate_user', description: 'Asks the device where the user is' };
const ASK_CLIENT = scripted({
  rounds: [{ tools: [{ name: 'locate_user', arguments: { city: 'Rome' }, id: 'call_1' }] }],
});

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

test('a listed turn is the same as the one that is read, with the number of its rounds for its rounds', async () => {
  await using world = await createWorld();
  const done = await world.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  const parked = await world.startTurn({ input: ASK_CLIENT, tools: [LOCATE] });
  const failed = await world.startTurn({ input: scripted({ answer: 'Hi', final: { fault: REFUSED } }) });
  await world.workUntilIdle();
  const turns = await Promise.all([failed, parked, done].map(({ id }) => world.findTurn(id)));
  const counted = turns.map((turn) => ({ ...turn, rounds_count: turn.rounds.length }));

  const { data } = await list(world, '/v1/turns');
  const whole = await list(world, '/v1/turns?include=rounds');

  expect(turns.map(({ status, rounds }) => `${status} ${rounds.length}`)).toEqual([
    'failed 0',
    'requires_action 1',
    'completed 2',
  ]);
  expect(data).toEqual(counted.map(({ rounds, ...rest }) => rest));
  expect(whole.data).toEqual(counted);
});

test.each([
  ['/v1/turns', (world: World) => world.startTurn({ input: 'x'.repeat(900_000) })],
  ['/v1/conversations', (world: World) => world.startTurn({ input: 'Hi', instructions: 'x'.repeat(900_000) })],
])('a page of %s has as many large ones as fit, and says where it goes on', async (path, start) => {
  await using world = await createWorld();
  const started: TurnResource[] = [];
  for (let n = 0; n < 6; n += 1) started.push(await start(world));

  const first = await list(world, `${path}?limit=100`);
  const second = await list(world, `${path}?limit=100&cursor=${first.next_cursor}`);

  expect([first.data.length, first.has_more, second.data.length, second.has_more]).toEqual([4, true, 2, false]);
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(
    started.map((turn) => (path === '/v1/turns' ? turn.id : turn.conversation_id)).reverse(),
  );
});

test('what rounds say makes a page of turns shorter only where it is asked for', async () => {
  await using world = await createWorld();
  for (const input of ['1', '2', '3']) await world.startTurn({ input, tools: ['weather_lookup'] });
  await world.workUntilIdle();
  await sql`update rounds set text = repeat('x', 5000000) where number = 1`.execute(world.db);

  const slim = await list(world, '/v1/turns');
  const whole = await list(world, '/v1/turns?include=rounds');

  expect([slim.data.length, slim.has_more]).toEqual([3, false]);
  expect([whole.data.length, whole.has_more]).toEqual([1, true]);
  expect(whole.data[0]?.rounds[0]?.assistant_response).toHaveLength(5_000_000);
});

test.each(['compact', 'openai', 'anthropic', 'gemini'])('a large conversation is told in pages, %s', async (format) => {
  await using world = await createWorld();
  const { conversation_id: id } = await world.startTurn({ input: 'The first.', instructions: 'Be brief.' });
  for (const input of ['The second.', 'The last.'])
    await world.call('POST', `/v1/conversations/${id}/turns`, { body: { input } });
  await world.workUntilIdle();
  const path = `/v1/conversations/${id}/messages?format=${format}`;
  const { data: small } = await list<unknown>(world, path);
  await sql`update turns set output = repeat('x', 3000000)`.execute(world.db);

  const pages: List<unknown>[] = [await list(world, path)];
  while (pages.at(-1)?.next_cursor) pages.push(await list(world, `${path}&cursor=${pages.at(-1)?.next_cursor}`));

  const told = pages.flatMap(({ data }) => data);
  expect(pages).toHaveLength(3);
  expect(told).toHaveLength(small.length);
  expect(told[format === 'openai' ? 1 : 0]).toEqual(small[format === 'openai' ? 1 : 0]);
});

test('a page of messages looks at a hundred turns at most, however long the conversation is', async () => {
  await using world = await createWorld();
  const { conversation_id: id } = await world.startTurn({ input: '0' });
  const path = `/v1/conversations/${id}`;
  for (let n = 1; n <= 100; n += 1) await world.call('POST', `${path}/turns`, { body: { input: `${n}` } });

  const first = await list<{ content: string }>(world, `${path}/messages`);
  const second = await list<{ content: string }>(world, `${path}/messages?cursor=${first.next_cursor}`);

  expect([first.data.length, first.has_more, second.has_more]).toEqual([100, true, false]);
  expect(second.data.map(({ content }) => content)).toEqual(['100']);
});

test('events that hold a large turn again and again are told in pages', async () => {
  await using world = await createWorld();
  const refused = scripted({ answer: 'x'.repeat(100), final: { fault: REFUSED } });
  const { id } = await world.startTurn({ input: [{ role: 'user', content: `${refused}${' '.repeat(900_000)}` }] });
  await world.workUntilIdle();
  for (let n = 0; n < 5; n += 1) {
    await world.call('POST', `/v1/turns/${id}/retry`);
    await world.workUntilIdle();
  }
  const path = `/v1/turns/${id}/events?limit=1000`;

  const first = await list<{ sequence_number: number }>(world, path);
  const second = await list<{ sequence_number: number }>(world, `${path}&cursor=${first.next_cursor}`);

  const numbers = [...first.data, ...second.data].map(({ sequence_number: number }) => number);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers).toHaveLength((await world.findTurn(id)).last_event);
});

test('the deliveries of a turn are told in pages, oldest first', async () => {
  await using world = await createWorld();
  for (let n = 0; n < 3; n += 1)
    await world.call('POST', '/v1/webhook_endpoints', { body: { url: `http://127.0.0.1:${9000 + n}/` } });
  const { id } = await world.startTurn({ input: 'Hi' });
  await world.call('POST', `/v1/turns/${id}/cancel`);
  const path = `/v1/turns/${id}/deliveries`;

  const all = await list<{ id: string }>(world, path);
  const first = await list<{ id: string }>(world, `${path}?limit=2`);
  const second = await list<{ id: string }>(world, `${path}?limit=2&cursor=${first.next_cursor}`);

  expect(all.data).toHaveLength(3);
  expect([...first.data, ...second.data]).toEqual(all.data);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
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
