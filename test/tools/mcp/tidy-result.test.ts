import { expect, test } from 'vitest';
import { structuredContentOf, tidyResult } from '#core/tools/mcp/tidy/tidy-result.ts';

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
])('a result is normalised if it has %s', (_, result) => {
  expect(tidied(result)).toEqual({ content: [hello] });
});

test.each<[string, object]>([
  ['annotations that are a list', { annotations: [] }],
  ['a priority above 1', { annotations: { priority: 5 } }],
  ['an audience that is a text', { annotations: JSON.parse('{"audience":"user"}') }],
  ['an unknown audience', { annotations: JSON.parse('{"audience":["developer"]}') }],
  ['a moment without a time', { annotations: { lastModified: 'yesterday' } }],
  ['meta that is a list', { _meta: [] }],
  ['its text in another field', { text: undefined, content: 'hello' }],
  ['its text in the field value', { text: undefined, value: 'hello' }],
])('a text block with %s is read', (_, odd) => {
  expect(tidied({ content: [{ ...hello, ...odd }] })).toEqual({ content: [hello] });
});

test.each([
  [5, '5'],
  [{ a: 1 }, '{"a":1}'],
  [['a', 'b'], '["a","b"]'],
])('a text that is %j becomes JSON', (text, said) => {
  expect(tidied({ content: [{ type: 'text', text }] })).toEqual({ content: [{ type: 'text', text: said }] });
});

const uri = 'file:///x';
const link = { type: 'resource_link', uri, name: 'x' };
const resource = { uri, text: 'hello' };
const png = 'iVBORw0KGgo=';

test.each<[string, object, object]>([
  ['a link without a name', { type: 'resource_link', uri }, { ...link, name: uri }],
  ['a link with an odd size', { ...link, size: '5', icons: {} }, link],
  ['a flat resource', { type: 'resource', ...resource }, { type: 'resource', resource }],
  [
    'a resource without an address',
    { type: 'resource', resource: { text: 'hello' } },
    { type: 'resource', resource: { uri: 'unnamed', text: 'hello' } },
  ],
  [
    'a resource of JSON',
    { type: 'resource', resource: { uri, text: { a: 1 } } },
    { type: 'resource', resource: { uri, text: '{"a":1}' } },
  ],
  [
    'a resource with fields that are null',
    { type: 'resource', resource: { uri, text: null, blob: png, mimeType: null } },
    { type: 'resource', resource: { uri, blob: png } },
  ],
  [
    'a resource with data that is not Base64',
    { type: 'resource', resource: { uri, blob: 'not base64!' } },
    { type: 'resource', resource: { uri, text: 'not base64!' } },
  ],
  [
    'an image with a data URL',
    { type: 'image', data: `data:image/webp;base64,${png}` },
    { type: 'image', data: png, mimeType: 'image/webp' },
  ],
  [
    'audio without a type',
    { type: 'audio', data: 'UklGRg==' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  ],
])('the block of %s gets the form of its kind', (_, block, form) => {
  expect(tidied({ content: [block] })).toEqual({ content: [form] });
});

test.each([
  { type: 'image', url: 'https://a.test/b.png' },
  { type: 'image', data: 'not base64!', mimeType: 'image/png' },
  { type: 'resource', resource: { uri, mimeType: 'text/plain' } },
  { type: 'resource_link', name: 'x' },
  { type: 'text', name: 'x' },
])('an unreadable block becomes JSON text: %j', (block) => {
  expect(tidied({ content: [block] })).toEqual({ content: [{ type: 'text', text: JSON.stringify(block) }] });
});

test.each([
  ['true', true],
  [1, true],
  ['false', false],
  [0, false],
  [{}, false],
])('the error flag may be %j', (isError, flag) => {
  expect(tidied({ content: [hello], isError })).toEqual({ content: [hello], isError: flag });
  expect(tidied({ content: [hello], is_error: isError })).toMatchObject({ isError: flag });
});

test.each([{ toolResult: 'hello' }, { text: 'hello' }, { result: { a: 1 } }, { output: 'hello', success: true }])(
  'a result without content becomes JSON text: %j',
  (result) => {
    const { content } = tidied({ ...result, _meta: {}, isError: false });

    expect(content).toEqual([{ type: 'text', text: JSON.stringify(result) }]);
  },
);

test.each([{}, { structuredContent: { a: 1 } }, { resultType: 'input_required', inputRequests: {} }])(
  'the result %j gets no content',
  (result) => {
    expect(tidied({ ...result })).toEqual(result);
  },
);

test('a block of an unknown kind becomes text', () => {
  expect(tidied({ content: [{ type: 'video', url: 'a' }] })).toEqual({
    content: [{ type: 'text', text: '{"type":"video","url":"a"}' }],
  });
});

test.each([
  [[], [{ type: 'text', text: '["a"]' }]],
  [[hello], [hello]],
])('structured content that is not an object is the text of an empty result: %j', (content, said) => {
  const result = tidied({ content, structuredContent: ['a'] });

  expect(result).toMatchObject({ content: said });
  expect(result).not.toHaveProperty('structuredContent');
  expect(structuredContentOf(result)).toEqual(['a']);
});

test('a valid result stays unchanged', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const result = { content: [image, hello], structuredContent: { a: null }, isError: true };
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
