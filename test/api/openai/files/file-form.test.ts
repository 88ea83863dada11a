import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { PDF, PNG, pngOf } from '../../blobs/samples.ts';
import { describeRefusal } from '../../refusals.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_BODY_LIMIT: '2000000' } });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Part = [headers: string, content: string | Buffer];

const pdf = Buffer.from(PDF, 'base64');
const field = (name: string, value: string): Part => [`Content-Disposition: form-data; name="${name}"`, value];
const file = (content: string | Buffer = pdf, parameters = 'filename="a.pdf"', type = ''): Part => [
  `Content-Disposition: form-data; name="file"; ${parameters}${type && `\r\nContent-Type: ${type}`}`,
  content,
];
const purpose = field('purpose', 'user_data');
const expiry = (anchor: string, seconds: string): Part[] => [
  field('expires_after[anchor]', anchor),
  field('expires_after[seconds]', seconds),
];

function formOf(parts: Part[], boundary = 'of-parts'): Buffer {
  const bytes = parts.map(([head, content]) => [`--${boundary}\r\n${head}\r\n\r\n`, content, '\r\n']);
  return Buffer.concat([...bytes.flat(), `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

async function send(body: Buffer | string | ReadableStream, headers: Record<string, string> = {}) {
  const answer = await fetch(`${harness.url}/v1/files`, {
    ...{ method: 'POST', body: body as never, duplex: 'half' },
    headers: { 'content-type': 'multipart/form-data; boundary=of-parts', ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, string> };
}

const MISSING = '400 missing_required_parameter';
const INVALID = '400 invalid_value';

test.each<[string, Part[], string]>([
  ['has no file', [purpose], `${MISSING}: file`],
  ['has no purpose', [file()], `${MISSING}: purpose`],
  ['has another purpose', [file(), field('purpose', 'batch')], '400 unsupported_value: purpose'],
  ['has a text as its file', [field('file', 'Hello.'), purpose], `${INVALID}: file`],
  ['has two files', [file(), file(), purpose], `${INVALID}: file`],
  ['has an empty file', [file(''), purpose], `${INVALID}: file`],
  ['has a file without a name', [file(pdf, 'filename=""'), purpose], `${INVALID}: file`],
  ['has a file with a long name', [file(pdf, `filename="${'a'.repeat(513)}"`), purpose], `${INVALID}: file`],
  [
    'has an image of too many pixels',
    [file(bytesOf(pngOf({ width: 9_000, height: 9_000 }))), purpose],
    `${INVALID}: file`,
  ],
  ['has two purposes', [file(), purpose, purpose], `${INVALID}: purpose`],
  ['has an unknown field', [file(), purpose, field('name', 'x')], '400 unknown_parameter: name'],
  ['has another anchor', [file(), purpose, ...expiry('now', '3600')], `${INVALID}: expires_after[anchor]`],
  ['expires too early', [file(), purpose, ...expiry('created_at', '3599')], `${INVALID}: expires_after[seconds]`],
  ['expires too late', [file(), purpose, ...expiry('created_at', '2592001')], `${INVALID}: expires_after[seconds]`],
  ['has no anchor', [file(), purpose, field('expires_after[seconds]', '3600')], `${MISSING}: expires_after[anchor]`],
  [
    'has no seconds',
    [file(), purpose, field('expires_after[anchor]', 'created_at')],
    `${MISSING}: expires_after[seconds]`,
  ],
  ['has too many parts', Array(17).fill(purpose), '400 invalid_form: null'],
  ['has a part without a name', [['Content-Disposition: form-data', 'x']], '400 invalid_form: null'],
  ['has a part in base64', [[`${file()[0]}\r\nContent-Transfer-Encoding: base64`, PDF]], '400 invalid_form: null'],
  ['has long headers', [[`${file()[0]}\r\nX-Header: ${'x'.repeat(8_192)}`, pdf]], '400 invalid_form: null'],
  ['has an invalid name', [file(pdf, "filename*=UTF-8''%FF"), purpose], '400 invalid_form: null'],
])('a form that %s is refused', async (_, parts, refusal) => {
  expect(describeRefusal(await send(formOf(parts)))).toBe(refusal);
});

test.each<[string, string | Buffer, Record<string, string>, string]>([
  ['is empty', '', {}, '400 invalid_form: null'],
  ['is cut off', formOf([file(), purpose]).subarray(0, -8), {}, '400 invalid_form: null'],
  ['has another boundary', formOf([file(), purpose], 'other'), {}, '400 invalid_form: null'],
  [
    'names no boundary',
    formOf([file()]),
    { 'content-type': 'multipart/form-data' },
    '415 unsupported_media_type: null',
  ],
  ['is JSON', '{"purpose":"user_data"}', { 'content-type': 'application/json' }, '415 unsupported_media_type: null'],
  [
    'is packed',
    gzipSync(formOf([file(), purpose])),
    { 'content-encoding': 'gzip' },
    '415 unsupported_media_type: Content-Encoding',
  ],
  ['is too large', formOf([file(Buffer.alloc(2_000_000, 1)), purpose]), {}, '413 body_too_large: null'],
])('a file body that %s is refused', async (_, body, headers, refusal) => {
  expect(describeRefusal(await send(body, headers))).toBe(refusal);
});

test('a body without a declared length is refused only if it is too large', async () => {
  const streamed = (bytes: number) =>
    new Blob([new Uint8Array(formOf([file(Buffer.alloc(bytes, 1)), purpose]))]).stream();

  expect(describeRefusal(await send(streamed(3_000_000)))).toBe('413 body_too_large: null');
  expect(await send(streamed(1_500_000))).toMatchObject({ status: 200, body: { bytes: 1_500_000 } });
});

test.each<[string, Part, string]>([
  ['in the extended form', file(pdf, `filename="_.pdf"; filename*=UTF-8''%C3%BC%20%27.pdf`), "ü '.pdf"],
  ['in UTF-8', file(pdf, 'filename="日本.pdf"'), '日本.pdf'],
  ['with escaped quotes', file(pdf, 'filename="a %22b%22.pdf"'), 'a "b".pdf'],
  ['with quotes after backslashes', file(pdf, 'filename="a \\"b\\".pdf"'), 'a "b".pdf'],
  ['without quotes', file(pdf, 'filename=a.pdf'), 'a.pdf'],
  ['with a line end', file(pdf, 'filename="a%0D%0Ab.pdf"'), 'a\r\nb.pdf'],
])('a file name that is written %s is read, and sent with the content', async (_, part, filename) => {
  const { status, body } = await send(formOf([purpose, part]));
  const content = await fetch(`${harness.url}/v1/files/${body.id}/content`);

  expect([status, body.filename]).toEqual([200, filename]);
  const [, sent = ''] = content.headers.get('content-disposition')!.split("filename*=UTF-8''");
  expect(decodeURIComponent(sent)).toBe(filename);
  expect(pdf.equals(Buffer.from(await content.arrayBuffer()))).toBe(true);
});

test('a form with a preamble, extra headers and a quoted boundary is accepted', async () => {
  const body = Buffer.concat([
    Buffer.from('Hello.\r\n'),
    formOf([[`X-Own: 1\r\n${file()[0]}`, pdf], purpose], 'of parts'),
  ]);

  const answer = await send(body, { 'content-type': 'multipart/form-data; charset=utf-8; boundary="of parts"' });

  expect(answer).toMatchObject({ status: 200, body: { filename: 'a.pdf', bytes: String(pdf).length } });
});

test('a file may contain the lines of a form', async () => {
  const inner = formOf([file(), purpose], 'other');

  const { body } = await send(formOf([file(inner, 'filename="form.txt"'), purpose]));
  const content = await fetch(`${harness.url}/v1/files/${body.id}/content`);

  expect(inner.equals(Buffer.from(await content.arrayBuffer()))).toBe(true);
});

test.each([
  ['image/png', 'x', 'image/png', bytesOf(PNG)],
  ['application/octet-stream', 'cat.png', 'image/png', bytesOf(PNG)],
  ['', 'cat.gif', 'image/png', bytesOf(PNG)],
  ['image/jpeg', 'cat.jpg', 'image/png', bytesOf(PNG)],
  ['image/jpg', 'cat', 'image/jpeg', Buffer.from('ffd8ff00', 'hex')],
  ['', 'offer', 'application/pdf', pdf],
  ['', 'table.csv', 'text/csv', Buffer.from('a,b')],
  ['text/markdown; charset=utf-8', 'a.txt', 'text/markdown', Buffer.from('# A')],
  ['not a type', 'a.bin', 'application/octet-stream', Buffer.from('a')],
])('a file that is declared as “%s” and named %s has the type %s', async (declared, name, type, content) => {
  const { body } = await send(formOf([file(content, `filename="${name}"`, declared), purpose]));
  const answer = await fetch(`${harness.url}/v1/files/${body.id}/content`);

  expect(answer.headers.get('content-type')).toBe(type);
});

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
