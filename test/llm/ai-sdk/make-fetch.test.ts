import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { REPLY_BOUNDS } from '#core/bounds/reply-bounds.ts';
import { makeFetch } from '#core/llm/ai-sdk/package/make-fetch.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const fetched = makeFetch(makeHttpClient().post);
const json = { 'content-type': 'application/json' };

test('a request is sent unchanged, and its answer has all headers', async () => {
  await using server = await startWireServer();
  server.answer({ headers: { ...json, 'x-amzn-requestid': 'req_1', 'set-cookie': 'a=1' }, body: ['{"a":', '1}'] });

  const answer = await fetched(new URL('/x?y=1', server.origin), {
    method: 'POST',
    headers: new Headers({ ...json, authorization: 'Bearer x' }),
    body: '{"b":2}',
  });

  expect(await answer.json()).toEqual({ a: 1 });
  expect([answer.status, answer.ok]).toEqual([200, true]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ ...json, 'x-amzn-requestid': 'req_1' });
  expect(server.asked[0]).toMatchObject({ path: '/x?y=1', headers: { authorization: 'Bearer x' }, body: { b: 2 } });
});

test('an empty answer, a refusal and a compressed answer are read', async () => {
  await using server = await startWireServer();
  const packed = { ...json, 'content-encoding': 'gzip' };
  server.answer({ status: 204 });
  server.answerNext({ status: 429, body: ['{}'] }, { headers: packed, body: [gzipSync('{"a":1}')] });

  const empty = await fetched(server.origin);
  const refused = await fetched(server.origin, { method: 'POST', body: '{}' });
  const whole = await fetched(server.origin);

  expect([empty.status, empty.body, refused.status, refused.ok]).toEqual([204, null, 429, false]);
  expect(await whole.json()).toEqual({ a: 1 });
});

test('a redirect elsewhere is not followed, and the answer size has a limit', async () => {
  await using server = await startWireServer();
  const mebibyte = Buffer.alloc(1024 * 1024, '\n');
  const many = Array.from({ length: REPLY_BOUNDS.bytes / mebibyte.length + 1 }, () => mebibyte);
  server.answer({ status: 307, headers: { location: 'http://127.0.0.1:1/' } });
  server.answerNext({ body: many });

  await expect(fetched(server.origin, { method: 'POST', body: '{}' })).rejects.toThrow('a redirect to');
  const large = await fetched(server.origin, { method: 'POST', body: '{}' });
  await expect(large.arrayBuffer()).rejects.toThrow('more than 64 MiB in one answer');
});

test('an abort rejects with its reason', async () => {
  await using server = await startWireServer({ body: ['x'], ending: 'hang' });
  const caller = new AbortController();
  const answer = await fetched(server.origin, { signal: caller.signal });

  const reading = answer.text();
  caller.abort(new Error('cancelled'));

  await expect(reading).rejects.toThrow('cancelled');
});

test('a request with a binary body uses the fetch of Node', async () => {
  await using server = await startWireServer({ headers: json, body: ['{"a":1}'] });

  const answer = await fetched(server.origin, { method: 'POST', body: Buffer.from('{"b":2}') });

  expect(await answer.json()).toEqual({ a: 1 });
  expect(server.asked[0]!.body).toEqual({ b: 2 });
});
