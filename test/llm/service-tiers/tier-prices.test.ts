import { expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import { pricesWithoutWrites, readPrices, unusedPrices } from '#core/llm/by-model/prices.ts';

const usage = {
  ...{ input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
  ...{ cached_input_tokens: 400, cache_write_tokens: 0, reasoning_tokens: 0 },
};
const MODEL = 'openai/gpt-5.6';
const base = { input: 2, cached_input: 0.5, output: 8 };
const tiers = {
  flex: { input: 1, cached_input: 0.25, output: 4 },
  batch: { input: 1, output: 4 },
  priority: { input: 4, cached_input: 1, output: 16 },
};
const read = (price: object) => readPrices(JSON.stringify({ [MODEL]: price }));
const costOn = (tier: string | null, price: object = { ...base, tiers }) =>
  read(price).costOf(MODEL, usage, tier)?.usd ?? null;

test.each([null, 'auto', 'default', 'standard', 'standard_only', 'scale', 'on_demand', 'a new word'])(
  'a reported tier of %s costs the base price of the model',
  (tier) => {
    expect(costOn(tier)).toBe(0.0022);
  },
);

test.each([
  ['flex', (600 * 1 + 400 * 0.25 + 100 * 4) / 1e6],
  ['batch', (1_000 * 1 + 100 * 4) / 1e6],
  ['priority', (600 * 4 + 400 * 1 + 100 * 16) / 1e6],
  ['fast', (600 * 4 + 400 * 1 + 100 * 16) / 1e6],
])('a reported tier of %s has its own price', (tier, cost) => {
  expect(costOn(tier)).toBeCloseTo(cost, 12);
});

test.each(['flex', 'batch', 'priority', 'fast'])('the cost on %s is unknown without a price for the tier', (tier) => {
  expect(costOn(tier, base)).toBeNull();
  expect(costOn(tier, { ...base, tiers: {} })).toBeNull();
  const { flex } = tiers;
  const { batch } = tiers;
  expect(costOn(tier, { ...base, tiers: tier === 'flex' ? { batch } : { flex } })).toBeNull();
});

test('the price of a tier takes no field from the price of its model', () => {
  const prices = read({ ...base, cache_write: 3, tiers: { flex: { input: 1, output: 4 } } });
  const written = { ...usage, cache_write_tokens: 500 };

  expect(prices.costOf(MODEL, written, 'flex')?.usd).toBeCloseTo((1_000 * 1 + 100 * 4) / 1e6, 12);
  expect(prices.costOf(MODEL, written, 'flex')?.savings).toBe(0);
});

test('the cache savings on flex use the price of flex', () => {
  expect(read({ ...base, tiers }).costOf(MODEL, usage, 'flex')?.savings).toBeCloseTo((400 * 0.75) / 1e6, 12);
});

test('the longest price pattern decides about tiers, without shorter patterns', () => {
  const prices = readPrices(JSON.stringify({ 'openai/*': { ...base, tiers }, [MODEL]: base }));

  expect(prices.costOf(MODEL, usage, 'flex')).toBeNull();
  expect(prices.costOf('openai/o3', usage, 'flex')?.usd).toBeCloseTo(0.0011, 12);
});

test('a reply without usage has no known cost on any tier', () => {
  expect(read({ ...base, tiers }).costOf(MODEL, null, 'flex')).toBeNull();
});

test.each([
  [{ ...base, tiers: { flex: { input: 1 } } }, `PAWL_PRICES.${MODEL}.tiers.flex.output: give a number`],
  [{ ...base, tiers: { flex: { output: 1 } } }, `PAWL_PRICES.${MODEL}.tiers.flex.input: give a number`],
  [{ ...base, tiers: { flex: { input: -1, output: 1 } } }, `PAWL_PRICES.${MODEL}.tiers.flex.input: give a number`],
  [{ ...base, tiers: { flex: 0.5 } }, `PAWL_PRICES.${MODEL}.tiers.flex`],
  [{ ...base, tiers: { default: base } }, `PAWL_PRICES.${MODEL}.tiers.default: unknown field`],
  [{ ...base, tiers: { flex: { ...base, tiers } } }, `PAWL_PRICES.${MODEL}.tiers.flex.tiers: unknown field`],
  [{ ...base, tiers: { flex: { ...base, cache: 1 } } }, `PAWL_PRICES.${MODEL}.tiers.flex.cache: unknown field`],
  [{ ...base, tiers: 'flex' }, `PAWL_PRICES.${MODEL}.tiers`],
])('the price %j is refused with its wrong field', (price, sentence) => {
  expect(() => read(price)).toThrow(Misconfigured);
  expect(() => read(price)).toThrow(sentence);
});

test('a tier price without cache_write gets a warning', () => {
  const given = {
    'anthropic/*': { ...base, cache_write: 3, tiers: { batch: base, priority: { ...base, cache_write: 6 } } },
  };
  const prices = readPrices(JSON.stringify({ ...given, 'opneai/x': { ...base, tiers } }));

  expect(pricesWithoutWrites(prices)).toEqual([
    expect.stringContaining('PAWL_PRICES.anthropic/*.tiers.batch: cache_write is missing.'),
  ]);
  expect(unusedPrices(prices, ['anthropic'])).toHaveLength(1);
});
