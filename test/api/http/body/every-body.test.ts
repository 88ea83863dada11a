import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { registered } from '../../openapi/document.ts';
import { describeRefusal } from '../../refusals.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** The methods and paths of all routes with a JSON body, with any ids. Files are sent as forms. */
const routes = registered
  .map((route) => route.replaceAll(/\{\w+\}/g, 'x').split(' '))
  .filter(([method = '', path = '']) => ['POST', 'PUT', 'PATCH'].includes(method) && !path.endsWith('/files'));

const JSON_TYPE = { 'content-type': 'application/json' };
const small = JSON.stringify({ input: 'Hi' });

test.each<[string, string | Buffer, Record<string, string>, string]>([
  ['is nested too deep', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, JSON_TYPE, '400 json_too_deep: null'],
  ['has too many values', `[${'[],'.repeat(100_000)}[]]`, JSON_TYPE, '400 json_too_large: null'],
  [
    'is packed',
    gzipSync(small),
    { ...JSON_TYPE, 'content-encoding': 'gzip' },
    '415 unsupported_media_type: Content-Encoding',
  ],
  [
    'has another charset',
    small,
    { 'content-type': 'application/json; charset=latin1' },
    '415 unsupported_media_type: Content-Type',
  ],
  ['is not UTF-8', Buffer.from([...Buffer.from('{"input":"'), 0xe9, 0x22, 0x7d]), JSON_TYPE, '400 invalid_json: null'],
])('every route that takes JSON refuses a body that %s', async (_, body, headers, refusal) => {
  const answers = await Promise.all(
    routes.map(async ([method, path]) => {
      const answer = await fetch(`${harness.url}${path}`, { method: method!, body: body as string, headers });
      const { status } = answer;
      return [method, path, describeRefusal({ status, headers: answer.headers, body: await answer.json() })];
    }),
  );

  expect(answers).toEqual(routes.map(([method, path]) => [method, path, refusal]));
  expect(new Set(routes.map(([, path = '']) => path.split('/')[1]))).toEqual(new Set(['v1', 'openai']));
});
