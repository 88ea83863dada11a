import { expect, test } from 'vitest';
import { jsonValuesIn } from '#core/llm/reply/read-values.ts';

test('a value is read if its line repeats the data prefix', () => {
  expect(jsonValuesIn('data: data: {"a":1}')).toEqual([{ a: 1 }]);
  expect(jsonValuesIn('data: [DONE]')).toEqual([]);
});
