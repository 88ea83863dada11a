import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { audio, countBlobs, file, image, PDF, PNG, pathOf, pngOf, tablesWith, text, user, WAV } from './samples.ts';

test('an image reaches the model inside the request, and each read shows its path', async ({ harness }) => {
  const picture = { ...image(PNG), detail: 'low' };

  const started = await harness.startTurn({ input: user(text('What is it?'), picture) });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(started.id);

  expect(harness.modelRequests[0]?.body).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: picture.image_url, detail: 'low' } },
        ],
      },
    ],
  });
  const shown = user(text('What is it?'), { ...picture, image_url: pathOf(PNG) });
  expect([started.input, turn.input, turn.status]).toEqual([shown, shown, 'completed']);
  for (const format of ['compact', 'openai', 'anthropic', 'gemini']) {
    const { body } = await harness.call('GET', `/v1/conversations/${turn.conversation_id}/messages?format=${format}`);
    expect(JSON.stringify(body), format).toContain(pathOf(PNG));
  }
  expect(JSON.stringify(await harness.listEvents(turn.id))).toContain(pathOf(PNG));
  expect(await tablesWith(harness, PNG.slice(0, 40))).toEqual([]);
});

test('files and audio reach the model, and later turns send them again', async ({ harness }) => {
  const first = await harness.startTurn({ input: user(file(PDF), audio(WAV, 'wav')) });
  await harness.call('POST', `/v1/conversations/${first.conversation_id}/turns`, { body: { input: 'And now?' } });
  await harness.workUntilIdle();

  const content = [
    { type: 'file', file: { filename: 'file.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
  ];
  const requests = harness.modelRequests.map(({ body }) => body);
  expect(requests).toMatchObject([
    { messages: [{ content }] },
    { messages: [{ content }, {}, { content: 'And now?' }] },
  ]);
  expect((await harness.findTurn(first.id)).input).toEqual(
    user({ type: 'input_file', file_data: pathOf(PDF) }, audio(pathOf(WAV), 'wav')),
  );
});

test('a blob is served with the media type of its upload and safe headers', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'one:key-one,two:key-two' } });
  const large = pngOf({ bytes: 1_300_000 });
  const html = Buffer.from('<script>alert(1)</script>').toString('base64');
  const asking = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const body = { model: 'gemini/test', input: user(image(large), file(PDF), file(html, 'text/html')) };
  const { status } = await harness.call('POST', '/v1/turns', {
    ...asking('key-one'),
    body: { ...body, model: 'sim/test', input: user(image(large), file(PDF)) },
  });
  const read = (base64: string, { key = 'key-one', method = 'GET' } = {}) =>
    fetch(`${harness.url}${pathOf(base64)}`, { method, ...asking(key) });

  const [png, pdf, head] = [await read(large), await read(PDF), await read(large, { method: 'HEAD' })];
  expect(status).toBe(202);
  expect(Buffer.from(await png.arrayBuffer()).equals(Buffer.from(large, 'base64'))).toBe(true);
  expect(Object.fromEntries(png.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(Buffer.from(large, 'base64').length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=31536000, immutable',
  });
  expect([png, pdf].map(({ headers }) => headers.get('content-disposition'))).toEqual([null, 'attachment']);
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'image/png', '']);
  expect((await read(large, { key: 'key-two' })).status).toBe(404);
  expect((await read(PNG)).status).toBe(404);
  expect((await fetch(`${harness.url}/v1/blobs/..%2fturns`, asking('key-one'))).status).toBe(404);
  expect((await fetch(`${harness.url}${pathOf(large)}`)).status).toBe(401);
});

test('both APIs accept the blob path that reads show, from the same project only', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'one:key-one,two:key-two' } });
  const post = (path: string, body: object, key = 'key-one') =>
    harness.call('POST', path, {
      body: { model: 'openai/test', ...body },
      headers: { authorization: `Bearer ${key}` },
    });
  await post('/v1/turns', { input: user(image(PNG)) });
  const again = { input: user({ type: 'input_image', image_url: pathOf(PNG) }) };

  expect((await post('/v1/turns', again)).status).toBe(202);
  expect((await post('/v1/responses', { ...again, background: true })).status).toBe(200);
  await harness.workUntilIdle();
  const sent = harness.modelRequests.map(({ body }) => JSON.stringify(body).includes(`data:image/png;base64,${PNG}`));
  expect(sent).toEqual([true, true, true]);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 3 });
  for (const path of ['/v1/turns', '/v1/responses']) {
    expect(describeRefusal(await post(path, again, 'key-two'))).toBe(
      '400 invalid_value: input[0].content[0].image_url',
    );
  }
});

test('a blob path is accepted as audio only if its bytes are audio of that format', async ({ harness }) => {
  const post = (...parts: object[]) =>
    harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: user(...parts) } });
  await post(image(PNG), audio(WAV, 'wav'));

  expect((await post(audio(pathOf(WAV), 'wav'))).status).toBe(202);
  for (const wrong of [audio(pathOf(WAV), 'mp3'), audio(pathOf(PNG), 'wav')]) {
    expect(describeRefusal(await post(wrong))).toBe('400 invalid_value: input[0].content[0].data');
  }
});

test('a request repeated with its idempotency key stores no second blob', async ({ harness }) => {
  const body = { model: 'openai/test', input: user(image(PNG)) };
  const post = () => harness.call('POST', '/v1/turns', { body, headers: { 'idempotency-key': 'once' } });

  const answers = await Promise.all([post(), post(), post()]);

  expect(new Set(answers.map(({ body: turn }) => turn.id)).size).toBe(1);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
});

const configured = { ANTHROPIC_API_KEY: 'sk-a', GEMINI_API_KEY: 'sk-g' };
const zip = Buffer.from('PK\x03\x04zip').toString('base64');
const unsupported: [string, string, object][] = [
  ['openai', 'a file by address', { type: 'input_file', file_url: 'https://example.com/a.pdf' }],
  ['openai', 'a file that is no PDF', file(zip, 'application/zip')],
  ['anthropic', 'audio', audio(WAV, 'wav')],
  ['anthropic', 'an image of a kind it does not know', image('PHN2Zz48L3N2Zz4=', 'image/svg+xml')],
  ['anthropic', 'a file of a kind it does not know', file(zip, 'application/zip')],
];

test.for(unsupported)('a turn is refused if its provider %s does not support %s', async ([provider, , part]) => {
  await using harness = await createHarness({ env: configured });

  const answer = await harness.call('POST', '/v1/turns', {
    body: { model: `${provider}/test`, input: user(text('Look'), part) },
  });

  expect(describeRefusal(answer)).toBe('400 unsupported_content: input[0].content[1]');
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

const bad: [string, object, string][] = [
  ['text of another role beside an image', image(PNG), 'unsupported_content: input[0].content[1]'],
  ['an unknown type', { type: 'input_video', url: 'https://example.com' }, 'invalid_value: input[0].content[1].type'],
  ['an unknown field', { ...text('Hi'), bold: true }, 'unknown_field: input[0].content[1].bold'],
  ['a text that is missing', { type: 'input_text' }, 'missing_field: input[0].content[1].text'],
  ['invalid base64', image('%%%'), 'invalid_value: input[0].content[1].image_url'],
  ['base64 that ends too early', image('iVBOR'), 'invalid_value: input[0].content[1].image_url'],
  ['no data', image(''), 'invalid_value: input[0].content[1].image_url'],
  ['a type that the bytes contradict', image(PNG, 'image/jpeg'), 'invalid_value: input[0].content[1].image_url'],
  ['an image under the name of text', file(PNG, 'text/plain'), 'invalid_value: input[0].content[1].file_data'],
  ['a file that is no image', image(PDF, 'application/pdf'), 'invalid_value: input[0].content[1].image_url'],
  [
    'a picture of 100 megapixels',
    image(pngOf({ width: 10_000, height: 10_000 })),
    'invalid_value: input[0].content[1].image_url',
  ],
  [
    'an address that is not safe',
    { type: 'input_image', image_url: 'http://example.com/a.png' },
    'invalid_value: input[0].content[1].image_url',
  ],
  [
    'the address of a row',
    { type: 'input_image', image_url: `blob:${'a'.repeat(64)};image/png` },
    'invalid_value: input[0].content[1].image_url',
  ],
  [
    'the address of a row as audio',
    audio(`blob:${'a'.repeat(64)};audio/wav`, 'wav'),
    'invalid_value: input[0].content[1].data',
  ],
  [
    'a blob that is not there',
    { type: 'input_image', image_url: `/v1/blobs/${'a'.repeat(64)}` },
    'invalid_value: input[0].content[1].image_url',
  ],
  ['audio of another format', audio(WAV, 'mp3'), 'invalid_value: input[0].content[1].data'],
  ['a format that is not known', audio(WAV, 'ogg'), 'invalid_value: input[0].content[1].format'],
  ['a detail that is not known', { ...image(PNG), detail: 'mega' }, 'invalid_value: input[0].content[1].detail'],
  ['a file without data', { type: 'input_file', filename: 'a.pdf' }, 'invalid_value: input[0].content[1].file_data'],
  [
    'a file twice',
    { ...file(PDF), file_url: 'https://example.com/a.pdf' },
    'invalid_value: input[0].content[1].file_data',
  ],
];

test('an invalid content part is refused with its path, and no blob is stored', async ({ harness }) => {
  for (const [what, part, refusal] of bad) {
    const role = what.startsWith('text of another role') ? 'assistant' : 'user';
    const answer = await harness.call('POST', '/v1/turns', {
      body: { model: 'openai/test', input: [{ role, content: [text('Look'), part] }] },
    });
    expect.soft(describeRefusal(answer), what).toBe(`400 ${refusal}`);
  }
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('inline data may exceed 1 MiB of a body, but texts may not', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '3000000' } });
  const post = async (path: string, body: object) =>
    (await harness.call('POST', path, { body: { model: 'openai/test', ...body } })).status;
  const large = (bytes: number) => image(pngOf({ bytes, mark: String(bytes) }));

  expect(await post('/v1/turns', { input: user(large(1_500_000)) })).toBe(202);
  expect(await post('/v1/conversations', { input: user(large(1_600_000)) })).toBe(202);
  expect(await post('/v1/turns', { input: user(large(700_000), large(700_001)) })).toBe(202);
  expect(await post('/v1/turns', { input: user(large(2_500_000)) })).toBe(413);
  expect(await post('/v1/turns', { input: user(image(PNG), text('x'.repeat(1_100_000))) })).toBe(413);
  expect(await post('/v1/turns', { input: user(large(1_000_000), text('x'.repeat(1_100_000))) })).toBe(413);
  expect(await post('/v1/turns', { input: 'x'.repeat(1_100_000) })).toBe(413);
});

test('a PAWL_BODY_LIMIT below 1 MiB applies only to bodies with inline data', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '20000' } });
  const post = (...parts: object[]) =>
    harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: user(...parts) } });
  const byAddress = { type: 'input_image', image_url: 'https://example.com/a.png' };

  const refused = await post(image(pngOf({ bytes: 30_000 })));
  const taken = [await post(image(PNG)), await post(text('x'.repeat(30_000)), byAddress)];

  const message = 'The body is larger than 20000 bytes. Send less data, or split it over several turns.';
  expect(refused).toMatchObject({ status: 413, body: { error: { code: 'body_too_large', message } } });
  expect(taken.map(({ status }) => status)).toEqual([202, 202]);
});
