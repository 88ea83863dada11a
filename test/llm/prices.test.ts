import { expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import { pricesWithoutWrites, readPrices, unusedPrices } from '#core/llm/by-model/prices.ts';

const usage = {
  ...{ input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
  ...{ cached_input_tokens: 400, cache_write_tokens: 0, reasoning_tokens: 50 },
};

const costOf = (prices: object, model: string) => readPrices(JSON.stringify(prices)).costOf(model, usage)?.usd;

test('prices are USD per million tokens, and cached tokens have their own price', () => {
  const prices = { 'openai/gpt-4.1': { input: 2, cached_input: 0.5, output: 8 } };

  expect(costOf(prices, 'openai/gpt-4.1')).toBe(0.0022);
});

test('cached tokens without their own price cost the input price', () => {
  expect(costOf({ 'openai/gpt-4.1': { input: 2, output: 8 } }, 'openai/gpt-4.1')).toBe(0.0028);
});

test('cache writes have their own price, and writes for an hour another price', () => {
  const prices = { '*': { input: 3, cached_input: 0.3, cache_write: 3.75, cache_write_1h: 6, output: 15 } };
  const written = { ...usage, cache_write_tokens: 500, cache_write_1h_tokens: 200 };

  const cost = readPrices(JSON.stringify(prices)).costOf('anthropic/claude', written);

  // 100 uncached, 400 read, 300 written for 5 minutes, 200 written for an hour, 100 output tokens
  expect(cost?.usd).toBeCloseTo((100 * 3 + 400 * 0.3 + 300 * 3.75 + 200 * 6 + 100 * 15) / 1e6, 12);
  expect(cost?.savings).toBeCloseTo((400 * 2.7 - 300 * 0.75 - 200 * 3) / 1e6, 12);
});

test('cache writes without their own price cost the input price', () => {
  const written = { ...usage, cache_write_tokens: 600, cache_write_1h_tokens: 200 };
  const prices = { '*': { input: 2, cached_input: 0.5, output: 8 } };

  const { costOf: cost } = readPrices(JSON.stringify(prices));

  expect(cost('openai/gpt-5.6', written)).toEqual({ usd: 0.0022, savings: 0.0006 });
});

test('a warning names each Claude price without cache_write', () => {
  const price = { input: 3, output: 15 };
  const prices = {
    ...{ 'anthropic/*': price, 'bedrock/anthropic.Claude*': price },
    ...{ 'anthropic/claude-sonnet-5': { ...price, cache_write: 3.75 }, 'openai/*': price },
  };

  expect(pricesWithoutWrites(readPrices(JSON.stringify(prices)))).toEqual(
    ['anthropic/*', 'bedrock/anthropic.Claude*'].map(
      (name) =>
        `PAWL_PRICES.${name}: cache_write is missing. Add the price of cache writes, otherwise cost_usd is too low.`,
    ),
  );
});

test('the longest price pattern wins, after the exact name of a model', () => {
  const at = (output: number) => ({ input: 0, output });
  const prices = {
    '*': at(5),
    'openai/*': at(10),
    'openai/gpt-5*': at(20),
    'openai/gpt-5': at(30),
    'openai/gpt-5-mini*': at(40),
  };

  const costs = ['xai/grok', 'openai/o3', 'openai/gpt-5.1', 'openai/gpt-5', 'openai/gpt-5-mini-2'].map((m) =>
    costOf(prices, m),
  );

  expect(costs).toEqual([0.0005, 0.001, 0.002, 0.003, 0.004]);
});

test('a model without a price and a reply without usage have no known cost', () => {
  const prices = readPrices('{"openai/*":{"input":1,"output":1}}');

  expect(prices.costOf('anthropic/claude', usage)).toBeNull();
  expect(prices.costOf('openai/o3', null)).toBeNull();
  expect([prices.has('openai/o3'), prices.has('anthropic/claude'), readPrices(undefined).has('sim/demo')]).toEqual([
    ...[true, false, false],
  ]);
});

test('a price for an unknown provider gets a warning', () => {
  const price = { input: 1, output: 1 };
  const prices = readPrices(JSON.stringify({ '*': price, 'open*': price, 'openai/*': price, 'opneai/gpt-4.1': price }));

  expect(unusedPrices(prices, ['sim', 'openai'])).toEqual([
    'PAWL_PRICES.opneai/gpt-4.1: no provider of this name is configured, so this price is not used.',
  ]);
});

test.each([
  ['{', 'PAWL_PRICES: this is not valid JSON, at line 1 column 2. Give JSON such as {"openai/gpt-4.1"'],
  ['{"a/b":\n x}', 'PAWL_PRICES: this is not valid JSON, at line 2 column 2.'],
  ['{"a/b":5}', 'PAWL_PRICES.a/b: give input and output, as in {"input":2,"output":8}'],
  ['[]', 'PAWL_PRICES: give JSON such as {"openai/gpt-4.1":{"input":2,"cached_input":0.5,"output":8}}'],
  ['{"gpt-4.1":{"input":1,"output":1}}', 'PAWL_PRICES.gpt-4.1: name the model as provider/model'],
  ['{"openai/*-mini":{"input":1,"output":1}}', 'PAWL_PRICES.openai/*-mini: name the model as provider/model'],
  ['{"openai/o3":{"input":1,"ouput":1}}', 'PAWL_PRICES.openai/o3.output: give a number'],
  ['{"openai/o3":{"input":1,"output":1,"cache":1}}', 'PAWL_PRICES.openai/o3.cache: unknown field'],
  ['{"openai/o3":{"input":"2","output":1}}', 'PAWL_PRICES.openai/o3.input: give a number of USD for a million tokens'],
  ['{"openai/o3":{"input":-2,"output":1}}', 'PAWL_PRICES.openai/o3.input: give a number of USD, 0 or more'],
  ['{"openai/o3":null}', 'PAWL_PRICES.openai/o3: '],
])('the price list %s is refused with its wrong field', (text, sentence) => {
  expect(() => readPrices(text)).toThrow(Misconfigured);
  expect(() => readPrices(text)).toThrow(sentence);
});

test('calls of hosted tools cost their own price, also on a tier', () => {
  const price = { input: 2, output: 8, hosted: { web_search: 0.01, code_execution: 0 } };
  const prices = { '*': { ...price, tiers: { flex: { input: 1, output: 4 } } } };
  const { costOf: cost } = readPrices(JSON.stringify(prices));
  const called = { ...usage, hosted_calls: { web_search: 3, code_execution: 2 } };

  expect(cost('openai/x', called)?.usd).toBeCloseTo(0.0028 + 0.03, 12);
  expect(cost('openai/x', called, 'flex')?.usd).toBeCloseTo(0.0014 + 0.03, 12);
  expect(cost('openai/x', called)?.savings).toBe(cost('openai/x', usage)?.savings);
});

test('a call of a hosted tool without a price makes the cost unknown', () => {
  const prices = readPrices(JSON.stringify({ '*': { input: 2, output: 8, hosted: { web_search: 0.01 } } }));

  expect(prices.costOf('openai/x', { ...usage, hosted_calls: { web_search: 1, web_fetch: 1 } })).toBeNull();
  expect(prices.hasHosted('openai/x', 'web_search')).toBe(true);
  expect(prices.hasHosted('openai/x', 'web_fetch')).toBe(false);
});

test.each([
  [{ web_search: -1 }, 'PAWL_PRICES.openai/x.hosted.web_search'],
  [{ computer: 1 }, 'PAWL_PRICES.openai/x.hosted.computer: unknown field, give web_search, web_fetch,'],
  [3, 'PAWL_PRICES.openai/x.hosted'],
])('the prices %j of hosted tools are refused with their path', (hosted, path) => {
  const text = JSON.stringify({ 'openai/x': { input: 2, output: 8, hosted } });

  expect(() => readPrices(text)).toThrow(path);
  expect(() => readPrices(text)).toThrow(Misconfigured);
});
