import { toFile } from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { countBlobs, image, PDF, PNG, pathOf, pngOf, tablesWith, text } from '../../blobs/samples.ts';
import { describeRefusal } from '../../refusals.ts';
import { openaiClient } from '../responses/openai-client.ts';
import { openWire, wires } from '../responses/wires/open-wire.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness({ env: { PAWL_API_KEYS: 'one:key-one,two:key-two', ANTHROPIC_API_KEY: 'none' } });
});
afterEach(() => harness[Symbol.asyncDispose]());

async function createFile(base64: string, name: string, key = 'key-one'): Promise<string> {
  const file = await toFile(Buffer.from(base64, 'base64'), name);
  return (await openaiClient(harness, '/v1', key).files.create({ file, purpose: 'user_data' })).id;
}

const imageOf = (file_id: string, more: object = {}) => ({ type: 'input_image', file_id, ...more });
const fileOf = (file_id: string, more: object = {}) => ({ type: 'input_file', file_id, ...more });
const user = (...content: object[]) => [{ role: 'user', content: [text('Look'), ...content] }];
const headers = { authorization: 'Bearer key-one' };
type Listed = { id: string; data: { content?: object[]; output?: object[] }[] };
const post = (path: string, body: object) => harness.call<Listed>('POST', path, { body, headers });
const respond = (input: object[], model = 'openai/test') => post('/v1/responses', { model, input, background: true });

test.for(wires)('files of a client reach a model over the wire $name like inline data', async (wire) => {
  await using opened = await openWire(wire);
  await using _worker = await startBackgroundWorker(opened.harness);
  const { client, create, says, heard } = opened;
  const made = async (base64: string, name: string) =>
    client.files.create({ file: await toFile(Buffer.from(base64, 'base64'), name), purpose: 'user_data' });
  const [picture, offer] = [await made(PNG, 'cat.png'), await made(PDF, 'offer.pdf')];
  says({ text: ['A cat.'] });

  await create({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', file_id: picture.id, detail: 'auto' },
          { type: 'input_file', file_id: offer.id },
        ],
      },
    ],
  });

  const { body } = heard();
  expect([PNG, PDF].map((base64) => body.includes(base64))).toEqual([true, true]);
});

test('item lists show the blob and name of a file, and rows hold no bytes', async () => {
  const [picture, offer] = [await createFile(PNG, 'cat.png'), await createFile(PDF, 'offer.pdf')];
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_1', output: [imageOf(picture)] };

  const { body } = await respond([...user(imageOf(picture), fileOf(offer)), call, output]);
  await harness.workUntilIdle();
  const { body: listed } = await harness.call<Listed>('GET', `/v1/responses/${body.id}/input_items?order=asc`, {
    headers,
  });

  expect(listed.data).toMatchObject([
    { content: [{}, { image_url: pathOf(PNG), detail: 'auto' }, { file_data: pathOf(PDF), filename: 'offer.pdf' }] },
    {},
    { output: [{ image_url: pathOf(PNG) }] },
  ]);
  expect(JSON.stringify(harness.modelRequests[0]?.body)).toContain('offer.pdf');
  expect(await countBlobs(harness)).toEqual({ blobs: 2, references: 2 });
  expect(await tablesWith(harness, PNG.slice(0, 40))).toEqual([]);
});

test('a turn keeps the bytes of a deleted file until the turn is deleted', async () => {
  const picture = await createFile(PNG, 'cat.png');
  const { body } = await respond(user(imageOf(picture)));
  await openaiClient(harness, '/v1', 'key-one').files.delete(picture);

  await harness.workUntilIdle();

  expect(JSON.stringify(harness.modelRequests[0]?.body)).toContain(PNG);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
  await harness.call('DELETE', `/v1/turns/${body.id.replace('resp_', 'turn_')}`, { headers });
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('a file keeps its bytes when a turn that uses it is deleted', async () => {
  const picture = await createFile(PNG, 'cat.png');
  const { body } = await respond(user(imageOf(picture)));
  await harness.workUntilIdle();

  await harness.call('DELETE', `/v1/turns/${body.id.replace('resp_', 'turn_')}`, { headers });

  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 0 });
  expect((await respond(user(imageOf(picture)))).status).toBe(200);
});

test('items of a conversation may refer to files', async () => {
  const picture = await createFile(PNG, 'cat.png');
  const { body: conversation } = await post('/openai/v1/conversations', { items: user(imageOf(picture)) });

  const { body: added } = await post(`/openai/v1/conversations/${conversation.id}/items`, {
    items: user(imageOf(picture)),
  });
  const refused = await post(`/openai/v1/conversations/${conversation.id}/items`, {
    items: user(imageOf('file-none')),
  });

  expect(added.data).toMatchObject([{ content: [{}, { image_url: pathOf(PNG) }] }]);
  expect(describeRefusal(refused)).toBe('400 invalid_value: items[0].content[1].file_id');
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 2 });
});

test('a part with an unknown, foreign, expired or mismatched `file_id` is refused', async () => {
  const [picture, offer] = [await createFile(PNG, 'cat.png'), await createFile(PDF, 'offer.pdf')];
  const foreign = await createFile(pngOf({ mark: 'other' }), 'dog.png', 'key-two');
  const expiring = await openaiClient(harness, '/v1', 'key-one').files.create({
    ...{ file: await toFile(Buffer.from(PDF, 'base64'), 'old.pdf'), purpose: 'user_data' },
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  });
  await harness.advance(3_600_000);
  const refusals: [object, string][] = [
    [imageOf('file-none'), 'invalid_value'],
    [imageOf('file-01kagz8m4pfvbte2n5q7rys3wx'), 'invalid_value'],
    [imageOf(''), 'invalid_value'],
    [imageOf(7 as never), 'invalid_value'],
    [imageOf(foreign), 'invalid_value'],
    [fileOf(expiring.id), 'invalid_value'],
    [imageOf(offer), 'invalid_value'],
    [imageOf(picture, { image_url: 'https://example.com/a.png' }), 'mutually_exclusive_parameters'],
    [fileOf(offer, { file_data: `data:application/pdf;base64,${PDF}` }), 'mutually_exclusive_parameters'],
  ];

  for (const [part, code] of refusals)
    expect.soft(describeRefusal(await respond(user(part)))).toBe(`400 ${code}: input[0].content[1].file_id`);
  const output = { type: 'function_call_output', call_id: 'call_1', output: [text('See'), fileOf('file-none')] };
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
  expect(describeRefusal(await respond([call, output]))).toBe('400 invalid_value: input[1].output[1].file_id');
  expect(describeRefusal(await respond(user(imageOf('file-none', { file_id: null }))))).toBe(
    '400 missing_required_parameter: input[0].content[1].image_url',
  );
});

test('a token count treats a file like inline data, and refuses an unknown file', async () => {
  const picture = await createFile(PNG, 'cat.png');
  const count = (part: object) =>
    post('/v1/responses/input_tokens', { model: 'openai/test', input: user(text('See'), part) });

  const [named, inline] = [await count(imageOf(picture)), await count(image(PNG))];

  expect(named.body).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
  expect(named.body).toEqual(inline.body);
  expect(describeRefusal(await count(imageOf('file-none')))).toBe('400 invalid_value: input[0].content[2].file_id');
});

test('a chat completion accepts a file id', async () => {
  const offer = await createFile(PDF, 'offer.pdf');
  const complete = (file_id: string) =>
    post('/v1/chat/completions', {
      ...{ model: 'openai/test', store: true },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'file', file: { file_id } },
          ],
        },
      ],
    });
  await using _worker = await startBackgroundWorker(harness);

  expect((await complete(offer)).status).toBe(200);
  expect(JSON.stringify(harness.modelRequests[0]?.body)).toContain(PDF);
  expect(describeRefusal(await complete('file-none'))).toBe('400 invalid_value: messages[0].content[1].file.file_id');
});

test('a file that the wire does not support is refused like inline data', async () => {
  const table = await createFile(Buffer.from('a,b\n1,2').toString('base64'), 'table.csv');

  expect(describeRefusal(await respond(user(fileOf(table))))).toBe('400 unsupported_content: input[0].content[1]');
  expect((await respond(user(fileOf(table)), 'anthropic/test')).status).toBe(200);
});
