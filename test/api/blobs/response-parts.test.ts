import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { countBlobs, file, image, PDF, PNG, pathOf, pngOf, tablesWith, text, user } from './samples.ts';

type Listed = { data: { content?: object[]; output?: object[] }[] };

test('blobs hold the data of a response, and lists of items show their paths', async ({ harness }) => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_1', output: [image(pngOf({ mark: 'result' }))] };
  const input = [...user(text('Look'), image(PNG), file(PDF)), call, output];

  const { body } = await harness.call<{ id: string }>('POST', '/v1/responses', {
    body: { model: 'openai/test', input, background: true },
  });
  await harness.workUntilIdle();
  const { body: listed } = await harness.call<Listed>('GET', `/v1/responses/${body.id}/input_items?order=asc`);

  expect(listed.data).toMatchObject([
    { content: [{}, { image_url: pathOf(PNG), detail: 'auto' }, { file_data: pathOf(PDF) }] },
    {},
    { output: [{ image_url: pathOf(pngOf({ mark: 'result' })) }] },
  ]);
  expect(JSON.stringify(harness.modelRequests[0]?.body)).toContain(PNG);
  expect(await tablesWith(harness, PNG.slice(0, 40))).toEqual([]);
  expect(await countBlobs(harness)).toEqual({ blobs: 3, references: 3 });
});

test('an item reference keeps its blobs when the response of the item is deleted', async ({ harness }) => {
  const create = (input: unknown) =>
    harness.call<{ id: string }>('POST', '/v1/responses', { body: { model: 'openai/test', input, background: true } });
  const { body: first } = await create(user(text('Look'), image(PNG)));
  await harness.workUntilIdle();
  const { body: items } = await harness.call<{ data: { id: string }[] }>(
    'GET',
    `/v1/responses/${first.id}/input_items`,
  );

  await create([{ type: 'item_reference', id: items.data[0]?.id }]);
  await harness.call('DELETE', `/v1/responses/${first.id}`);
  await harness.workUntilIdle();

  expect(JSON.stringify(harness.modelRequests[1]?.body)).toContain(PNG);
  expect((await fetch(`${harness.url}${pathOf(PNG)}`)).status).toBe(200);
});

test('deleting a conversation deletes the blobs of items added to it', async ({ harness }) => {
  const post = (path: string, body: object) =>
    harness.call<{ id: string } & Listed>('POST', `/openai/v1/conversations${path}`, { body });
  const { body: conversation } = await post('', {});

  const wrong = await post(`/${conversation.id}/items`, { items: user(text('Look'), image('%%')) });
  const { body: added } = await post(`/${conversation.id}/items`, { items: user(text('Look'), image(PNG)) });

  expect(describeRefusal(wrong)).toBe('400 invalid_value: items[0].content[1].image_url');
  expect(added.data).toMatchObject([{ content: [{}, { image_url: pathOf(PNG) }] }]);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
  await harness.call('DELETE', `/openai/v1/conversations/${conversation.id}`);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});
