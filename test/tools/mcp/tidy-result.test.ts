import { expect, test } from 'vitest';
import { tidyResult } from '#core/tools/mcp/tidy/tidy-result.ts';

const hello = { type: 'text', text: 'hello' };
const tidied = (result: Record<string, unknown>) => {
  tidyResult(result);
  return result;
};

test.each<[string, Record<string, unknown>]>([
  ['fields that are null', { content: [hello], _meta: null, isError: null, structuredContent: null }],
  ['null in a block', { content: [{ ...hello, annotations: null, _meta: null }] }],
  ['null among blocks', { content: [null, hello] }],
  ['a block without its text', { content: [{ type: 'text', text: null }, hello] }],
  ['a text for content', { content: 'hello' }],
  ['a block for content', { content: hello }],
  ['a text among blocks', { content: ['hello'] }],
])('a result is tidied if it has %s', (_, result) => {
  expect(tidied(result)).toEqual({ content: [hello] });
});

test('a block of an unknown kind is text', () => {
  expect(tidied({ content: [{ type: 'video', url: 'a' }] })).toEqual({
    content: [{ type: 'text', text: '{"type":"video","url":"a"}' }],
  });
});

test.each([
  [[], [{ type: 'text', text: '["a"]' }]],
  [[hello], [hello]],
])('structured content that is no object is text if nothing else is said: %j', (content, said) => {
  expect(tidied({ content, structuredContent: ['a'] })).toEqual({ content: said });
});

test('a valid result stays as it is', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const result = { content: [image, hello], structuredContent: { a: null }, isError: true, tools: null };
  expect(tidied(structuredClone(result))).toEqual(result);
});

test.each([
  ['iVBORw0KGgo=', 'image/png'],
  ['/9j/4AAQSkZJRg==', 'image/jpeg'],
  ['R0lGODlhAQABAAAAACw=', 'image/gif'],
  ['UklGRhoAAABXRUJQ', 'image/webp'],
  ['AAAA', 'image/png'],
])('an image %s without a type is %s', (data, mimeType) => {
  expect(tidied({ content: [{ type: 'image', data }] })).toEqual({ content: [{ type: 'image', data, mimeType }] });
});
