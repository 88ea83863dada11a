import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

type List<Item> = { object: string; data: Item[]; has_more: boolean; next_cursor: string | null };

const REFUSED = { kind: 'status', status: 401 } as const;
const LOCATE = { name: 'locate_user', description: 'Asks the device where the user is' };
const ASK_CLIENT = scripted({
  rounds: [{ tools: [{ name: 'locate_user', arguments: { city: 'Rome' }, id: 'call_1' }] }],
});

async function list<Item = TurnResource>({ call }: Harness, path: string): Promise<List<Item>> {
  const { status, body } = await call<List<Item>>('GET', path);
  expect(status).toBe(200);
  return body;
}

test('an empty list has the shape of every list', async ({ harness }) => {
  const empty = { object: 'list', data: [], has_more: false, next_cursor: null };

  expect(await list(harness, '/v1/turns')).toEqual(empty);
  expect(await list(harness, '/v1/conversations')).toEqual(empty);
});

test.each(['turns', 'conversations'])('%s are listed newest first, each once across all pages', async (what) => {
  await using harness = await createHarness();
  const started: TurnResource[] = [];
  for (const input of ['1', '2', '3', '4', '5']) started.push(await harness.startTurn({ input }));
  const expected = started.map((turn) => (what === 'turns' ? turn.id : turn.conversation_id)).reverse();

  const first = await list(harness, `/v1/${what}?limit=2`);
  const second = await list(harness, `/v1/${what}?limit=2&cursor=${first.next_cursor}`);
  const third = await list(harness, `/v1/${what}?limit=2&cursor=${second.next_cursor}`);

  expect([first, second, third].map(({ has_more }) => has_more)).toEqual([true, true, false]);
  expect(third.next_cursor).toBeNull();
  expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
});

test('a full page without a successor is the last page', async ({ harness }) => {
  await harness.startTurn({ input: '1' });
  await harness.startTurn({ input: '2' });

  const page = await list(harness, '/v1/turns?limit=2');

  expect(page).toMatchObject({ has_more: false, next_cursor: null });
});

test('turns started between two pages do not shift the pages', async ({ harness }) => {
  const old = [await harness.startTurn({ input: '1' }), await harness.startTurn({ input: '2' })];
  await harness.startTurn({ input: '3' });

  const first = await list(harness, '/v1/turns?limit=1');
  await harness.startTurn({ input: '4' });
  const rest = await list(harness, `/v1/turns?cursor=${first.next_cursor}`);

  expect(rest.data.map(({ id }) => id)).toEqual([old[1]?.id, old[0]?.id]);
});

test('turns can be filtered by status, by conversation and by both', async ({ harness }) => {
  const done = await harness.startTurn({ input: '1' });
  await harness.workUntilIdle();
  const path = `/v1/conversations/${done.conversation_id}/turns`;
  const { body: waiting } = await harness.call<TurnResource>('POST', path, { body: { input: '2' } });
  const other = await harness.startTurn({ input: '3' });
  const idsOf = async (query: string) => (await list(harness, `/v1/turns?${query}`)).data.map(({ id }) => id);

  expect(await idsOf('status=completed')).toEqual([done.id]);
  expect(await idsOf('status=queued')).toEqual([other.id, waiting.id]);
  expect(await idsOf('status=failed')).toEqual([]);
  expect(await idsOf(`conversation_id=${done.conversation_id}`)).toEqual([waiting.id, done.id]);
  expect(await idsOf(`conversation_id=${done.conversation_id}&status=queued`)).toEqual([waiting.id]);
  expect(await idsOf('conversation_id=conv_missing')).toEqual([]);
});

test('a listed turn equals the turn that is read, and has its number of rounds', async ({ harness }) => {
  const done = await harness.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  const waiting = await harness.startTurn({ input: ASK_CLIENT, tools: [LOCATE] });
  const failed = await harness.startTurn({ input: scripted({ answer: 'Hi', final: { fault: REFUSED } }) });
  await harness.workUntilIdle();
  const turns = await Promise.all([failed, waiting, done].map(({ id }) => harness.findTurn(id)));
  const counted = turns.map((turn) => ({ ...turn, rounds_count: turn.rounds.length }));

  const { data } = await list(harness, '/v1/turns');
  const whole = await list(harness, '/v1/turns?include=rounds');

  expect(turns.map(({ status, rounds }) => `${status} ${rounds.length}`)).toEqual([
    'failed 0',
    'requires_action 1',
    'completed 2',
  ]);
  expect(data).toEqual(counted.map(({ rounds, ...rest }) => rest));
  expect(whole.data).toEqual(counted);
});

test.each([
  ['/v1/turns', (harness: Harness) => harness.startTurn({ input: 'x'.repeat(900_000) })],
  ['/v1/conversations', (harness: Harness) => harness.startTurn({ input: 'Hi', instructions: 'x'.repeat(900_000) })],
])('a page of %s is cut when large items exceed its size, and has a cursor', async (path, start) => {
  await using harness = await createHarness();
  const started: TurnResource[] = [];
  for (let n = 0; n < 6; n += 1) started.push(await start(harness));

  const first = await list(harness, `${path}?limit=100`);
  const second = await list(harness, `${path}?limit=100&cursor=${first.next_cursor}`);

  expect([first.data.length, first.has_more, second.data.length, second.has_more]).toEqual([4, true, 2, false]);
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(
    started.map((turn) => (path === '/v1/turns' ? turn.id : turn.conversation_id)).reverse(),
  );
});

test('texts of rounds shorten a page of turns only if the request includes rounds', async ({ harness }) => {
  for (const input of ['1', '2', '3']) await harness.startTurn({ input, tools: ['weather_lookup'] });
  await harness.workUntilIdle();
  await sql`update rounds set text = repeat('x', 5000000) where number = 1`.execute(harness.db);

  const slim = await list(harness, '/v1/turns');
  const whole = await list(harness, '/v1/turns?include=rounds');

  expect([slim.data.length, slim.has_more]).toEqual([3, false]);
  expect([whole.data.length, whole.has_more]).toEqual([1, true]);
  expect(whole.data[0]?.rounds[0]?.assistant_response).toHaveLength(5_000_000);
});

test.for(['compact', 'openai', 'anthropic', 'gemini'])(
  'messages of a large conversation are listed in pages as %s',
  async (format, { harness }) => {
    const { conversation_id: id } = await harness.startTurn({ input: 'The first.', instructions: 'Be brief.' });
    for (const input of ['The second.', 'The last.'])
      await harness.call('POST', `/v1/conversations/${id}/turns`, { body: { input } });
    await harness.workUntilIdle();
    const path = `/v1/conversations/${id}/messages?format=${format}`;
    const { data: small } = await list<unknown>(harness, path);
    await sql`update turns set output = repeat('x', 3000000)`.execute(harness.db);

    const pages: List<unknown>[] = [await list(harness, path)];
    while (pages.at(-1)?.next_cursor) pages.push(await list(harness, `${path}&cursor=${pages.at(-1)?.next_cursor}`));

    const messages = pages.flatMap(({ data }) => data);
    expect(pages).toHaveLength(3);
    expect(messages).toHaveLength(small.length);
    expect(messages[format === 'openai' ? 1 : 0]).toEqual(small[format === 'openai' ? 1 : 0]);
  },
);

test('a page of messages covers at most 100 turns of a long conversation', async ({ harness }) => {
  const { conversation_id: id } = await harness.startTurn({ input: '0' });
  const path = `/v1/conversations/${id}`;
  for (let n = 1; n <= 100; n += 1) await harness.call('POST', `${path}/turns`, { body: { input: `${n}` } });

  const first = await list<{ content: string }>(harness, `${path}/messages`);
  const second = await list<{ content: string }>(harness, `${path}/messages?cursor=${first.next_cursor}`);

  expect([first.data.length, first.has_more, second.has_more]).toEqual([100, true, false]);
  expect(second.data.map(({ content }) => content)).toEqual(['100']);
});

test('events that repeat a large turn are listed in pages', async ({ harness }) => {
  const refused = scripted({ answer: 'x'.repeat(100), final: { fault: REFUSED } });
  const { id } = await harness.startTurn({ input: [{ role: 'user', content: `${refused}${' '.repeat(900_000)}` }] });
  await harness.workUntilIdle();
  for (let n = 0; n < 5; n += 1) {
    await harness.call('POST', `/v1/turns/${id}/retry`);
    await harness.workUntilIdle();
  }
  const path = `/v1/turns/${id}/events?limit=1000`;

  const first = await list<{ sequence_number: number }>(harness, path);
  const second = await list<{ sequence_number: number }>(harness, `${path}&cursor=${first.next_cursor}`);

  const numbers = [...first.data, ...second.data].map(({ sequence_number: number }) => number);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers).toHaveLength((await harness.findTurn(id)).last_event);
});

test('the deliveries of a turn are listed in pages, oldest first', async ({ harness }) => {
  for (let n = 0; n < 3; n += 1)
    await harness.call('POST', '/v1/webhook_endpoints', { body: { url: `http://127.0.0.1:${9000 + n}/` } });
  const { id } = await harness.startTurn({ input: 'Hi' });
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  const path = `/v1/turns/${id}/deliveries`;

  const all = await list<{ id: string }>(harness, path);
  const first = await list<{ id: string }>(harness, `${path}?limit=2`);
  const second = await list<{ id: string }>(harness, `${path}?limit=2&cursor=${first.next_cursor}`);

  expect(all.data).toHaveLength(3);
  expect([...first.data, ...second.data]).toEqual(all.data);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
});

test('the rounds of a turn can be read without the turn', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  await harness.workUntilIdle();

  const { data, has_more } = await list(harness, `/v1/turns/${id}/rounds`);

  expect(has_more).toBe(false);
  expect(data).toMatchObject((await harness.findTurn(id)).rounds);
  expect(data).toHaveLength(2);
});
