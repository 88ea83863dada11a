import { expect, test } from 'vitest';
import { writeBody } from '#core/llm/http/write-body.ts';

test('a body is written as JSON.stringify writes it', async () => {
  const body = {
    model: 'gpt "quoted"',
    stop: undefined,
    seed: null,
    messages: [{ role: 'user', content: 'grüße \u2028 🐟\n', name: undefined }, undefined, ['a', []], 'text'],
    tools: [],
    options: { nested: [1, undefined, { deep: true }] },
  };

  expect(String(await writeBody(body))).toBe(JSON.stringify(body));
  expect(String(await writeBody({}))).toBe('{}');
});
