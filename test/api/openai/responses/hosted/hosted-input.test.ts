import type OpenAI from 'openai';
import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { dot, makeCode, makeImageCall, makeSearch, PIXEL } from '../../../../turn/hosted/make-hosted.ts';
import { test } from '../../test.ts';
import { conversing } from '../conversations/converse.ts';
import { playResponse, type Said } from '../play-response.ts';
import { readBody, refusalOf } from '../read-body.ts';

type Items = OpenAI.Responses.ResponseInput;

const user = (content: string) => ({ role: 'user' as const, content });
const search = {
  ...{ type: 'web_search_call', id: 'ws_other', status: 'completed' },
  action: { type: 'search', query: 'pawl', sources: [{ type: 'url', url: 'https://pawl.example/a' }] },
} as const;
const code = {
  ...{ type: 'code_interpreter_call', id: 'ci_other', status: 'completed', code: 'print(42)', container_id: 'c' },
  outputs: [{ type: 'logs', logs: '42' }],
} as const;
const files = {
  type: 'file_search_call',
  id: 'fs_other',
  status: 'failed',
  queries: ['turns'],
  results: null,
} as const;
const image = { type: 'image_generation_call', id: 'ig_other', status: 'completed', result: PIXEL } as const;
const sentImage = [
  { type: 'text', text: 'Images that the assistant made above:' },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
];
const answer = { role: 'assistant' as const, content: 'It is 42.' };

async function play({ db, parts, worker }: Harness, said: Said) {
  const response = await playResponse(
    { db, pubsub: parts.pubsub, watchers: worker.watchers },
    { hosted: ['web_search'] },
  );
  await response.start();
  await response.complete(said);
  return response.id.replace('turn_', 'resp_');
}

test('items of hosted calls become notes in the next message of the assistant', async ({ harness }) => {
  const { respond, lastSent, client } = conversing(harness);
  const input = [user('Hi'), search, code, answer, user('More?'), files, image, user('And?')] as Items;

  const { id } = await respond({ input });

  expect(lastSent().map(({ content }) => content)).toEqual([
    'Hi',
    [
      '[The provider ran web_search {"type":"search","query":"pawl"}: [{"type":"url","url":"https://pawl.example/a"}]]',
      '[The provider ran code_execution {"code":"print(42)"}: 42]',
      'It is 42.',
    ].join('\n'),
    'More?',
    [
      '[The provider ran file_search {"queries":["turns"]}: The call failed.]',
      '[The provider ran image_generation.]',
      '[The model made an image.]',
    ].join('\n'),
    sentImage,
    'And?',
  ]);
  const { data } = await client.responses.inputItems.list(id, {
    order: 'asc',
    include: ['code_interpreter_call.outputs'],
  });
  const X = id.replace('resp_', '');
  expect(data.map((item) => item.id)).toEqual(
    ['msg_i0', 'ws_i1', 'ci_i2', 'msg_i3', 'msg_i4', 'fs_i5', 'ig_i6', 'msg_i7'].map((place) =>
      place.replace('_', `_${X}_`),
    ),
  );
  expect(data[2]).toMatchObject({ ...code, id: data[2]!.id, container_id: '' });
  expect(data[5]).toMatchObject({ status: 'failed', results: null });
});

test('an item of a stored hosted call has the stored output', async ({ harness }) => {
  const { respond, lastSent } = conversing(harness);
  const id = await play(harness, { text: 'It is 42.', hosted: [makeCode({ output: '42' })] });
  const X = id.replace('resp_', '');
  const sent = { ...code, id: `ci_${X}_r1_0`, outputs: null };
  const unknown = { ...code, id: `ci_${X}_r1_9`, outputs: null };

  await respond({ input: [user('Hi'), sent, answer, unknown, answer, user('And?')] as Items });
  const said = lastSent().map(({ content }) => content);
  await respond({ input: [user('Hi'), { type: 'item_reference', id: sent.id }, user('And?')] });

  const note = '[The provider ran code_execution {"code":"print(6 * 7)"}: 42]';
  expect(said).toEqual(['Hi', `${note}\nIt is 42.`, expect.stringMatching(/"print\(42\)"\}\.\]\nIt is 42\.$/), 'And?']);
  expect(lastSent().map(({ content }) => content)).toEqual(['Hi', note, 'And?']);
});

test('an item of a stored call has its image', async ({ harness }) => {
  const { respond, lastSent } = conversing(harness);
  const previous = await play(harness, { text: 'Here.', hosted: [makeImageCall()], images: [dot] });
  const id = `ig_${previous.replace('resp_', '')}_r1_0`;

  await respond({ input: [user('A dot?'), { ...image, id, result: null }, user('Larger?')] as Items });

  expect(lastSent().map(({ content }) => content)).toEqual([
    'A dot?',
    '[The provider ran image_generation {"prompt":"A dot"}.]\n[The model made an image.]',
    sentImage,
    'Larger?',
  ]);
});

test('an item of a hosted call is refused if its image is none', async ({ harness }) => {
  const asked = conversing(harness).respond({ input: [user('Hi'), { ...image, result: 'aGk=' }] as Items });

  await expect(asked).rejects.toMatchObject({ status: 400, param: 'input[1].result' });
});

test('an item of a hosted call is left out if the history has it', async ({ harness }) => {
  const { respond, lastSent } = conversing(harness);
  const previous = await play(harness, { text: 'Found it.', hosted: [makeSearch({ output: null })] });
  const sent = { ...search, id: `ws_${previous.replace('resp_', '')}_r1_0` };

  await respond({ input: [sent, user('And?')] as Items, previous_response_id: previous });

  const note = '[The provider ran web_search {"type":"search","query":"pawl"}.]';
  expect(lastSent().map(({ content }) => content)).toEqual(['Hi', `${note}\nFound it.`, 'And?']);
});

test.each([
  ['input[0].queries', { ...files, queries: 'all' }],
  ['input[0].outputs', { ...code, outputs: 'none' }],
  ['input[0].action', { ...search, action: [] }],
])('an item of a hosted call is refused at %s', async (param, item) => {
  expect(await refusalOf({ input: [item] })).toMatchObject({ status: 400, param });
});

test('an item of a hosted call has its output cut to 64 KiB', async () => {
  const outputs = [{ type: 'logs', logs: '🐢'.repeat(20_000) }];

  const { input } = await readBody({ input: [{ ...code, outputs }, user('Hi')] });

  expect(input[0]?.item).toMatchObject({ type: 'hosted_call', call: { output: '🐢'.repeat(16 * 1024) } });
});
