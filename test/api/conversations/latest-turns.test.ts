import { expect } from 'vitest';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { ListedTurnResource, TurnResource } from '#core/turn/resource/turn.ts';
import { describeRefusal } from '#test/api/refusals.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

type Listed = ConversationResource & { latest_turn?: ListedTurnResource | null };
type List<Item> = { data: Item[]; has_more: boolean };

const model = 'openai/test';
const PATH = '/v1/conversations?include=latest_turn';

async function list({ call }: Harness, path = PATH): Promise<Listed[]> {
  return (await call<List<Listed>>('GET', path)).body.data;
}

async function converse({ call }: Harness, ...turns: object[]): Promise<{ id: string; turns: TurnResource[] }> {
  const { id } = (await call<{ id: string }>('POST', '/v1/conversations', { body: { model } })).body;
  const started: TurnResource[] = [];
  for (const body of turns)
    started.push((await call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body })).body);
  return { id, turns: started };
}

test('a list of conversations has the latest turn of each if the request asks for it', async ({ harness }) => {
  await converse(harness);
  const delayed = await converse(harness, { input: 'Later.', delay_seconds: 600 });
  const both = await converse(harness, { input: 'Now.' }, { input: 'Later.', delay_seconds: 600 });
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const asks = { input: scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {} }] }] }), tools };
  const waits = await converse(harness, { input: 'First.' }, asks);
  await harness.workUntilIdle();

  const { data } = (await harness.call<List<ListedTurnResource>>('GET', '/v1/turns')).body;
  const turnOf = (id: string | undefined) => data.find((turn) => turn.id === id);

  const latest = [waits.turns[1], both.turns[0], delayed.turns[0], null];
  const found = await list(harness);
  expect(found.map(({ latest_turn }) => latest_turn)).toEqual(latest.map((turn) => turn && turnOf(turn.id)));
  expect(found[0]?.latest_turn).toMatchObject({ status: 'requires_action', rounds_count: 1 });
  expect(await list(harness, '/v1/conversations')).toEqual(found.map(({ latest_turn: _, ...rest }) => rest));
  expect(await list(harness, `${PATH}&q=first`)).toEqual([found[0]]);
  expect(describeRefusal(await harness.call('GET', '/v1/conversations?include=turns'))).toBe(
    '400 invalid_value: include',
  );
});

test('the turn before a deleted latest turn becomes the latest turn', async ({ harness }) => {
  const { turns } = await converse(harness, { input: 'First.' }, { input: 'Second.' });
  await harness.workUntilIdle();

  await harness.call('DELETE', `/v1/turns/${turns[1]?.id}`);

  expect((await list(harness))[0]?.latest_turn).toMatchObject({ id: turns[0]?.id, status: 'completed' });
});

test('a page with large turns has fewer conversations, and the next page continues', async ({ harness }) => {
  const long = 'word '.repeat(200_000);
  for (let number = 1; number <= 6; number += 1) await converse(harness, { input: long });

  const page = async (path: string) => (await harness.call<List<Listed> & { next_cursor: string }>('GET', path)).body;
  const first = await page(PATH);
  const second = await page(`${PATH}&cursor=${first.next_cursor}`);
  const bare = await page('/v1/conversations');

  expect([first.data.length, first.has_more, second.data.length, second.has_more]).toEqual([4, true, 2, false]);
  expect([bare.data.length, bare.has_more]).toEqual([6, false]);
});
