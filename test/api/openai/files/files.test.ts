import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRetention } from '#services/worker/routines/retention.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { countBlobs, PDF, PNG, pathOf, pngOf } from '../../blobs/samples.ts';
import { describeRefusal } from '../../refusals.ts';
import { openaiClient, raised } from '../responses/openai-client.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness({ env: { PAWL_API_KEYS: 'one:key-one,two:key-two' } });
});
afterEach(() => harness[Symbol.asyncDispose]());

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const uploadOf = (base64: string, name: string) => toFile(bytesOf(base64), name);

test.each(['/v1', '/openai/v1'] as const)(
  'the OpenAI client creates, lists, reads and deletes files under %s',
  async (base) => {
    const client = openaiClient(harness, base, 'key-one');
    const purpose = 'user_data';

    const made = await client.files.create({ file: await uploadOf(PDF, 'offer ü.pdf'), purpose });
    const other = await client.files.create({
      ...{ file: await uploadOf(PNG, 'cat.png'), purpose },
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    const found = await client.files.retrieve(made.id);
    const listed = await gather(client.files.list({ limit: 1, order: 'asc' }));
    const content = await client.files.content(made.id);
    const read = Buffer.from(await content.arrayBuffer());
    const deleted = await client.files.delete(made.id);

    expect(made).toEqual({
      ...{ id: expect.stringMatching(/^file-\w{26}$/), object: 'file', bytes: bytesOf(PDF).length },
      ...{ created_at: expect.any(Number), filename: 'offer ü.pdf', purpose, status: 'processed' },
    });
    expect(other.expires_at).toBe(other.created_at + 3_600);
    expect(found).toEqual(made);
    expect(listed).toEqual([made, other]);
    expect(bytesOf(PDF).equals(read)).toBe(true);
    expect(content.headers.get('content-type')).toBe('application/pdf');
    expect(content.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''offer%20%C3%BC.pdf");
    expect(deleted).toEqual({ id: made.id, object: 'file', deleted: true });
    for (const act of actsOn(client, made.id))
      expect(await raised(act())).toMatchObject({ status: 404, code: 'file_not_found' });
  },
);

test('a file is visible in its project only, and its blob is deleted with it', async () => {
  const [client, other] = ['key-one', 'key-two'].map((key) => openaiClient(harness, '/v1', key));
  const { id } = await client!.files.create({ file: await uploadOf(PNG, 'cat.png'), purpose: 'user_data' });

  for (const act of actsOn(other!, id))
    expect(await raised(act())).toMatchObject({ status: 404, code: 'file_not_found' });
  expect((await other!.files.list()).data).toEqual([]);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 0 });
  expect(await statusOf(pathOf(PNG))).toBe(200);
  await client!.files.delete(id);

  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
  expect(await statusOf(pathOf(PNG))).toBe(404);
});

test('files with the same bytes share a blob until the last file is deleted', async () => {
  const client = openaiClient(harness, '/v1', 'key-one');
  const create = async (name: string) => client.files.create({ file: await uploadOf(PDF, name), purpose: 'user_data' });
  const [one, two] = [await create('one.pdf'), await create('two.pdf')];

  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 0 });
  await client.files.delete(one.id);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 0 });
  await client.files.delete(two.id);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('a file of 7 MB is uploaded and read whole', async () => {
  const client = openaiClient(harness, '/v1', 'key-one');
  const large = pngOf({ bytes: 7_000_000 });

  const { id, bytes } = await client.files.create({ file: await uploadOf(large, 'large.png'), purpose: 'user_data' });
  const content = await client.files.content(id);

  expect(bytes).toBe(bytesOf(large).length);
  expect(bytesOf(large).equals(Buffer.from(await content.arrayBuffer()))).toBe(true);
});

test('an expired file is not found, and the sweep deletes the file and its blob', async () => {
  const client = openaiClient(harness, '/v1', 'key-one');
  const lasting = await client.files.create({ file: await uploadOf(PNG, 'cat.png'), purpose: 'user_data' });
  const { id } = await client.files.create({
    ...{ file: await uploadOf(PDF, 'offer.pdf'), purpose: 'user_data' },
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  });

  await harness.advance(3_600_000);

  expect(await raised(client.files.retrieve(id))).toMatchObject({ status: 404, code: 'file_not_found' });
  expect((await client.files.list()).data).toEqual([lasting]);
  expect([await statusOf(pathOf(PDF)), await statusOf(pathOf(PNG))]).toEqual([404, 200]);
  expect(await countBlobs(harness)).toEqual({ blobs: 2, references: 0 });
  expect(await makeRetention(harness.worker).sweep()).toEqual({ turns: 0, conversations: 0, files: 1 });
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 0 });
});

test('a file is created once per Idempotency-Key, for any boundary of its form', async () => {
  const client = openaiClient(harness, '/v1', 'key-one');
  const create = async (name: string) =>
    client.files.create(
      { file: await uploadOf(PDF, name), purpose: 'user_data' },
      { headers: { 'Idempotency-Key': 'once' } },
    );

  const answers = await Promise.all([create('offer.pdf'), create('offer.pdf'), create('offer.pdf')]);
  const other = await raised(create('other.pdf'));
  await client.files.delete(answers[0]!.id);
  const again = await raised(create('offer.pdf'));

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(other).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
  expect(again).toMatchObject({ status: 404, code: 'file_not_found' });
  expect((await client.files.list()).data).toEqual([]);
});

test('a list of files has pages, and refuses an unknown `after`', async () => {
  const client = openaiClient(harness, '/v1', 'key-one');
  const ids: string[] = [];
  for (const name of ['a.pdf', 'b.pdf', 'c.pdf'])
    ids.push((await client.files.create({ file: await uploadOf(PDF, name), purpose: 'user_data' })).id);
  const list = (query: string) => harness.call('GET', `/v1/files?${query}`, { headers: asked });

  expect((await list('limit=2')).body).toMatchObject({
    ...{ object: 'list', data: [{ id: ids[2] }, { id: ids[1] }], first_id: ids[2], last_id: ids[1], has_more: true },
  });
  expect((await list(`limit=2&after=${ids[1]}`)).body).toMatchObject({ data: [{ id: ids[0] }], has_more: false });
  expect((await list('purpose=batch')).body).toMatchObject({ data: [], first_id: null, last_id: null });
  for (const query of ['after=file-x', `after=${ids[0]}&purpose=batch`, 'after=%00'])
    expect(describeRefusal(await list(query))).toBe('400 invalid_value: after');
  for (const limit of ['0', '101', 'x'])
    expect(describeRefusal(await list(`limit=${limit}`))).toBe('400 invalid_value: limit');
  expect(describeRefusal(await harness.call('GET', '/v1/files/%00', { headers: asked }))).toBe(
    '404 file_not_found: id',
  );
  expect(describeRefusal(await harness.call('DELETE', '/v1/files/%00', { headers: asked }))).toBe(
    '404 file_not_found: id',
  );
});

const actsOn = ({ files }: OpenAI, id: string) => [
  async () => files.retrieve(id),
  async () => files.content(id),
  async () => files.delete(id),
];

async function gather(all: AsyncIterable<OpenAI.FileObject>): Promise<OpenAI.FileObject[]> {
  const found = [];
  for await (const file of all) found.push(file);
  return found;
}

const asked = { authorization: 'Bearer key-one' };

async function statusOf(path: string): Promise<number> {
  return (await fetch(harness.url + path, { headers: asked })).status;
}
