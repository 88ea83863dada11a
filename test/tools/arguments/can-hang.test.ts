import { expect, test } from 'vitest';
import { canHang } from '#core/tools/arguments/violation.ts';

const plain = { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } }, required: ['city'] };

test('a plain schema is one walk over the value', () => {
  expect(canHang(JSON.stringify(plain), '{"city":"Rome"}')).toBe(false);
});

test.for([
  [{ pattern: '^(a+)+$' }],
  [{ patternProperties: { '^(a+)+$': {} } }],
  [{ items: { format: 'email' } }],
  [{ $ref: '#/$defs/x' }],
  [{ uniqueItems: true }],
])('%j can be slow however short the value', ([more]) => {
  expect(canHang(JSON.stringify({ ...plain, ...more }), '{}')).toBe(true);
});

test('a large value for a large schema can be slow', () => {
  const many = { ...plain, properties: { city: { enum: Array.from({ length: 500 }, (_, n) => `city ${n}`) } } };

  expect(canHang(JSON.stringify(many), JSON.stringify(Array.from({ length: 2_000 }, () => 'city 1')))).toBe(true);
});
