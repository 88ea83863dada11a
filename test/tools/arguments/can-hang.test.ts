import { expect, test } from 'vitest';
import { canHang } from '#core/tools/arguments/violation.ts';

const plain = { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } }, required: ['city'] };

test('a plain schema cannot hang, because its check walks the value once', () => {
  expect(canHang(JSON.stringify(plain), '{"city":"Rome"}')).toBe(false);
});

test.for([
  [{ pattern: '^(a+)+$' }],
  [{ patternProperties: { '^(a+)+$': {} } }],
  [{ items: { format: 'email' } }],
  [{ $ref: '#/$defs/x' }],
  [{ uniqueItems: true }],
])('a check of %j can be slow even for a short value', ([more]) => {
  expect(canHang(JSON.stringify({ ...plain, ...more }), '{}')).toBe(true);
});

test('a check of a large value against a large schema can be slow', () => {
  const many = { ...plain, properties: { city: { enum: Array.from({ length: 500 }, (_, n) => `city ${n}`) } } };

  expect(canHang(JSON.stringify(many), JSON.stringify(Array.from({ length: 2_000 }, () => 'city 1')))).toBe(true);
});
