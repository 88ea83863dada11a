import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeRefusal } from '../../refusals.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_API_KEYS: 'busy:key-of-busy-project,other:key-of-other-project' } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const BUSY = { authorization: 'Bearer key-of-busy-project' };
const OTHER = { authorization: 'Bearer key-of-other-project' };
const small = { model: 'openai/test', input: 'Hi' };
const large = { ...small, provider_options: { rows: Array(90_000).fill(0) } };

test('a small body is answered while large bodies fill the share of its project', async () => {
  const { url } = harness;
  const held = Array.from({ length: 40 }, () => openPost(url, 8 * 1024 * 1024, BUSY.authorization));

  const answers = await Promise.all(
    [BUSY, OTHER].map((headers) => harness.call('POST', '/v1/turns', { body: small, headers })),
  );
  for (const socket of held) socket.destroy();

  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
});

test('a large body waits only while its own project uses its share', async () => {
  const { url } = harness;
  // Bodies that are declared but never sent fill the share of their project.
  const held = Array.from({ length: 40 }, () => openPost(url, 8 * 1024 * 1024, BUSY.authorization));

  const { status } = await harness.call('POST', '/v1/turns', { body: large, headers: OTHER });
  for (const socket of held) socket.destroy();
  const after = await harness.call('POST', '/v1/turns', { body: large, headers: BUSY });

  expect([status, after.status]).toEqual([202, 202]);
});

test.each([
  ['nested arrays', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'json_too_deep'],
  ['nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'json_too_deep'],
  ['empty arrays', `[${'[],'.repeat(300_000)}[]]`, 'json_too_large'],
  ['empty objects', `{"a":[${'{},'.repeat(300_000)}{}]}`, 'json_too_large'],
  ['numbers', `[${'1,'.repeat(400_000)}1]`, 'json_too_large'],
])('a large body of %s is refused before it is parsed', async (_, body, code) => {
  // Invalid JSON at its end, which a parser would report.
  const broken = `${body.slice(0, -1)} x${body.slice(-1)}`;
  const post = (given: string) => harness.call('POST', '/v1/responses', { body: given, headers: BUSY });

  expect(describeRefusal(await post(body))).toBe(`400 ${code}: null`);
  expect(describeRefusal(await post(broken))).toBe(`400 ${code}: null`);
});

test.each([
  ['[', 'a list'],
  ['{"a":"', 'a text'],
])('a body that is cut off in %s is refused as invalid JSON at any depth', async (end) => {
  const body = `${'['.repeat(1_000)}${end}`;

  expect(describeRefusal(await harness.call('POST', '/v1/turns', { body, headers: BUSY }))).toBe(
    '400 invalid_json: null',
  );
});

test('60,000 empty lists count as 60,001 values and are accepted', async () => {
  const body = { ...small, provider_options: { rows: Array.from({ length: 60_000 }, () => []) } };

  expect((await harness.call('POST', '/v1/turns', { body, headers: BUSY })).status).toBe(202);
});

test.each([
  [{ 'content-encoding': 'gzip' }, 'Content-Encoding', 'gzip'],
  [{ 'content-encoding': 'br, gzip' }, 'Content-Encoding', 'br'],
  [{ 'content-type': 'application/json; charset=iso-8859-1' }, 'Content-Type', 'UTF-8'],
  [{ 'content-type': 'application/json;charset="utf-16"' }, 'Content-Type', 'UTF-8'],
])('a body with %j is refused because of its header', async (headers, param, named) => {
  const refused = await post(JSON.stringify(small), headers);

  expect(describeRefusal(refused)).toBe(`415 unsupported_media_type: ${param}`);
  expect(JSON.stringify(refused.body)).toContain(named);
});

test('a compressed body is refused because of its header, not as invalid JSON', async () => {
  const refused = await post(gzipSync(JSON.stringify(small)), { 'content-encoding': 'gzip' });

  expect(describeRefusal(refused)).toBe('415 unsupported_media_type: Content-Encoding');
});

test.each([
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'application/json; charset="UTF-8"' },
  { 'content-type': 'application/merge-patch+json;charset=utf8' },
  { 'content-encoding': 'identity' },
])('a body with %j is accepted', async (headers) => {
  expect((await post(JSON.stringify(small), headers)).status).toBe(202);
});

test.each([100, 100_000])('a body of %d bytes that is not valid UTF-8 is refused, not repaired', async (length) => {
  const [before, after] = JSON.stringify({ ...small, input: `${'x'.repeat(length)}?` }).split('?');
  const body = Buffer.concat([Buffer.from(before!), Buffer.from([0xe9, 0x20]), Buffer.from(after!)]);

  const refused = await post(body, {});

  expect(describeRefusal(refused)).toBe('400 invalid_json: null');
  expect(JSON.stringify(refused.body)).toContain('UTF-8');
});

async function post(body: string | Buffer, more: Record<string, string>) {
  const headers = { 'content-type': 'application/json', ...BUSY, ...more };
  const response = await fetch(`${harness.url}/v1/turns`, { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function openPost(url: string, length: number, authorization: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /v1/turns HTTP/1.1', 'host: localhost', `authorization: ${authorization}`];
  socket.write(`${[...lines, 'content-type: application/json', `content-length: ${length}`].join('\r\n')}\r\n\r\n`);
  void text(socket).catch(() => {});
  return socket;
}
