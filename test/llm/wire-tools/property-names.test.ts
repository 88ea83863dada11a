import { expect, test } from 'vitest';
import { findWireNames } from '#core/llm/wire-tools/property-names.ts';

const rules = { allowed: /^[a-zA-Z0-9_.-]{1,64}$/, others: /[^a-zA-Z0-9_.-]/g };
const schemaOf = (names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

test('8,000 property names without valid letters get distinct wire names', () => {
  const own = Array.from({ length: 8_000 }, (_, at) => String.fromCodePoint(0x4e00 + at));
  const names = findWireNames(schemaOf(own), rules);
  const onWire = [...(names?.values() ?? [])];
  expect(new Set(onWire).size).toBe(8_000);
  expect(onWire.every((name) => rules.allowed.test(name))).toBe(true);
});

test('a wire name with a number does not equal another property name', () => {
  const names = findWireNames(schemaOf(['$a', '_a', '[a', '_a_2', '{a']), rules);
  expect([...(names?.values() ?? [])]).toEqual(['_a_3', '_a_4', '_a_5']);
});
