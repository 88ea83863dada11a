import { expect, test } from 'vitest';
import { joinFields } from '#core/llm/reply/join-fields.ts';

const join = (...deltas: string[]) => {
  const fields = {};
  for (const delta of deltas) joinFields(fields, JSON.parse(delta));
  return fields;
};

test.each([
  ['at the top', '{"__proto__":{"isOurs":"no"},"reasoning":"a"}'],
  ['in a field', '{"extra_content":{"__proto__":{"isOurs":"no"},"a":"b"}}'],
  ['in a block', '{"reasoning_details":[{"type":"t","__proto__":{"isOurs":"no"}}]}'],
])('other objects stay unchanged if a server sends __proto__ %s', (_, delta) => {
  join(delta, delta);
  expect('isOurs' in {}).toBe(false);
});

test('a field with the name of an inherited property has its own value', () => {
  expect(join('{"constructor":"a","toString":{"b":"c"}}', '{"toString":{"d":"e"}}')).toEqual({
    constructor: 'a',
    toString: { b: 'c', d: 'e' },
  });
});

test('the last label wins, and a text in pieces is joined', () => {
  const pieces = ['{"channel":"analysis","reasoning_opaque":"a"}', '{"channel":"final","reasoning_opaque":"b"}'];

  expect(join(...pieces)).toEqual({ channel: 'final', reasoning_opaque: 'ab' });
});
