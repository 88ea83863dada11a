import { expect, test } from 'vitest';
import { readUsage } from '#core/llm/openai-responses/finish-reply.ts';

const whole = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
  output_tokens: 70,
  output_tokens_details: { reasoning_tokens: 40 },
  total_tokens: 1_070,
};

test('the usage of a response has cached, written and reasoning tokens', () => {
  expect(readUsage(whole)).toEqual({
    ...{ input_tokens: 1_000, output_tokens: 70, total_tokens: 1_070 },
    ...{ cached_input_tokens: 600, cache_write_tokens: 300, reasoning_tokens: 40 },
  });
});

test('cache writes for 12 hours are part of the writes, and count as 1-hour writes', () => {
  const details = (ttl_12h_tokens: unknown) => ({
    ...whole.input_tokens_details,
    cache_write_tokens_details: { ttl_30m_tokens: 100, ttl_12h_tokens },
  });

  expect(readUsage({ ...whole, input_tokens_details: details(200) })).toMatchObject({
    cache_write_tokens: 300,
    cache_write_1h_tokens: 200,
  });
  expect(readUsage({ ...whole, input_tokens_details: details(900) })?.cache_write_1h_tokens).toBe(300);
  expect(readUsage({ ...whole, input_tokens_details: details(0) })).not.toHaveProperty('cache_write_1h_tokens');
});

test('cached and written tokens never exceed the input', () => {
  const details = { cached_tokens: 5_000, cache_write_tokens: 5_000 };

  expect(readUsage({ ...whole, input_tokens_details: details })).toMatchObject({
    cached_input_tokens: 1_000,
    cache_write_tokens: 0,
  });
});

test.each([
  ['inside the output', { output_tokens: 70, total_tokens: 1_070 }, 70],
  ['beside it', { output_tokens: 30, total_tokens: 1_070 }, 70],
  ['beside it, without a total', { output_tokens: 30, total_tokens: undefined }, 40],
])('output tokens include reasoning tokens counted %s', (_, counts, output) => {
  expect(readUsage({ ...whole, ...counts })).toMatchObject({ output_tokens: output, total_tokens: 1_000 + output });
});

test.each([null, {}, { input_tokens: 'x', output_tokens: null }, { input_tokens_details: { cached_tokens: 4 } }])(
  'the usage %j has no counts',
  (usage) => {
    expect(readUsage(usage)).toBeNull();
  },
);

test.each([
  [{ ...whole, input_tokens_details: 'none', output_tokens_details: null }, { cached_input_tokens: 0 }],
  [
    { ...whole, input_tokens: -5 },
    { input_tokens: 0, cached_input_tokens: 0 },
  ],
  [{ ...whole, input_tokens: null }, { input_tokens: 0 }],
  [{ ...whole, output_tokens: 1.4, total_tokens: 0, output_tokens_details: {} }, { output_tokens: 1 }],
])('token counts of odd types and numbers are read: %j', (usage, counts) => {
  expect(readUsage(usage as Record<string, unknown>)).toMatchObject(counts);
});
