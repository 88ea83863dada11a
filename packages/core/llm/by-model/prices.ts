import { z } from 'zod';
import { HOSTED_TYPES, type HostedType } from '../../turn/hosted/hosted-tool.ts';
import type { Usage } from '../../turn/reply.ts';
import { isModelMeant, readByPattern, unusedPatterns } from './model-pattern.ts';

const usd = z.number('give a number of USD for a million tokens').min(0, 'give a number of USD, 0 or more');

const EXAMPLE = '{"openai/gpt-4.1":{"input":2,"cached_input":0.5,"output":8}}';

const figures = {
  input: usd,
  cached_input: usd.optional(),
  cache_write: usd.optional(),
  cache_write_1h: usd.optional(),
  output: usd,
};
const WHOLE = 'give input and output, as in {"input":2,"output":8}';

const TierPrice = z.strictObject(figures, WHOLE);
type TierPrice = z.infer<typeof TierPrice>;

const tierPrice = TierPrice.optional();
const Tiers = z.strictObject(
  { flex: tierPrice, batch: tierPrice, priority: tierPrice },
  'give an object of prices for flex, batch and priority',
);

/** USD for one call of each kind of hosted tool. */
const HostedPrices = z.partialRecord(
  z.enum(HOSTED_TYPES),
  z.number('give a number of USD for one call').min(0, 'give a number of USD, 0 or more'),
  'give an object of prices for one call, as in {"web_search":0.01}',
);

const Price = z.strictObject({ ...figures, tiers: Tiers.optional(), hosted: HostedPrices.optional() }, WHOLE);
type Price = z.infer<typeof Price>;

/** The fields of an entry, of its tiers, and of the price of a tier, by their depth below the name of a model. */
const FIELDS = [Price, Tiers, TierPrice].map(({ shape }) => listOf(Object.keys(shape)));

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}

/** The prices of models, in USD. */
export type Prices = {
  names: string[];
  /** The entries without a price for cache writes. An entry of a tier is `name.tiers.batch`. */
  withoutWrites: string[];
  has(model: string, tier?: string | null): boolean;
  /** Returns whether a model has a price for one call of a hosted tool. */
  hasHosted(model: string, type: HostedType): boolean;
  /**
   * Returns the cost of a reply of a model on the tier that its provider reports. Null if the model has no price on
   * that tier or for a hosted tool that it called, or its provider counts no tokens.
   */
  costOf(model: string, usage: Usage | null, tier?: string | null): Cost | null;
};

/** The cost of a reply in US dollars, and how much more it would have been without a cache. */
export type Cost = { usd: number; savings: number };

/**
 * Reads `PAWL_PRICES`: USD for a million tokens, by model. A name that ends with `*` matches all models with that
 * prefix. The longest name counts. A `Misconfigured` names the path of a wrong value.
 */
export function readPrices(text: string | undefined): Prices {
  const fieldsAt = (path: PropertyKey[]) => (path[1] === 'hosted' ? listOf(HOSTED_TYPES) : FIELDS[path.length - 1]);
  const given = readByPattern({ variable: 'PAWL_PRICES', text, value: Price, example: EXAMPLE, fieldsAt });
  const longestFirst = Object.entries(given).toSorted(([one], [other]) => rankOf(other) - rankOf(one));
  const priceOf = (model: string) => longestFirst.find(([name]) => isModelMeant(name, model))?.[1];
  return {
    names: Object.keys(given),
    withoutWrites: Object.entries(given).flatMap(([name, price]) => withoutWritesIn(name, price)),
    has: (model, tier) => priceOn(priceOf(model), tier) !== undefined,
    hasHosted: (model, type) => priceOf(model)?.hosted?.[type] !== undefined,
    costOf: (model, usage, tier) => {
      const whole = priceOf(model);
      const price = priceOn(whole, tier);
      const hosted = costOfHosted(whole?.hosted, usage);
      if (!price || !usage || hosted === null) return null;
      const { usd, savings } = costOf(price, usage);
      return { usd: usd + hosted, savings };
    },
  };
}

/** Returns a sentence for each price of a provider that is not configured, which is probably misspelt. */
export function unusedPrices({ names }: Pick<Prices, 'names'>, providers: readonly string[]): string[] {
  const unused = unusedPatterns(names, providers);
  return unused.map(
    (name) => `PAWL_PRICES.${name}: no provider of this name is configured, so this price is not used.`,
  );
}

/**
 * Returns a sentence for each Claude price without `cache_write`. Caching is on by default, and cache writes cost
 * more.
 */
export function pricesWithoutWrites({ withoutWrites }: Pick<Prices, 'withoutWrites'>): string[] {
  const missing = withoutWrites.filter((name) => /claude|^anthropic\//i.test(name));
  return missing.map(
    (name) =>
      `PAWL_PRICES.${name}: cache_write is missing. Add the price of cache writes, otherwise cost_usd is too low.`,
  );
}

function withoutWritesIn(name: string, { tiers = {}, ...price }: Price): string[] {
  const all = Object.entries({ [name]: price, ...prefixed(`${name}.tiers.`, tiers) });
  return all.flatMap(([path, each]) => (each && each.cache_write === undefined ? [path] : []));
}

function prefixed<Value>(prefix: string, values: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

/** Returns the rank of a name. A name without `*` precedes a pattern of the same length. */
function rankOf(name: string): number {
  return name.endsWith('*') ? name.length - 1 : name.length + 0.5;
}

/** The tiers that have their own prices, by the providers' names. */
const TIERS = new Map<string, keyof z.infer<typeof Tiers>>([
  ['flex', 'flex'],
  ['batch', 'batch'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

/** Returns the price of a tier. Other tiers have the price of the entry itself. */
function priceOn(price: Price | undefined, tier: string | null = null): TierPrice | undefined {
  const own = TIERS.get(tier?.toLowerCase() ?? '');
  return own ? price?.tiers?.[own] : price;
}

/** Returns the cost of usage. Each input token is read from the cache, written to the cache, or neither. */
function costOf(price: TierPrice, usage: Usage): Cost {
  const { input, cached_input = input, cache_write = input, cache_write_1h = input, output } = price;
  const read = Math.min(usage.cached_input_tokens, usage.input_tokens);
  const written = Math.min(usage.cache_write_tokens, usage.input_tokens - read);
  const longer = Math.min(usage.cache_write_1h_tokens ?? 0, written);
  const fresh = usage.input_tokens - read - written;
  const cached = read * cached_input + (written - longer) * cache_write + longer * cache_write_1h;
  const micros = fresh * input + cached + usage.output_tokens * output;
  return { usd: micros / 1_000_000, savings: ((read + written) * input - cached) / 1_000_000 };
}

/** Returns the cost of the calls of hosted tools, or null if a call has no price. */
function costOfHosted(prices: Price['hosted'], usage: Usage | null): number | null {
  const counts = Object.entries(usage?.hosted_calls ?? {});
  return counts.reduce<number | null>((sum, [type, count]) => {
    const each = prices?.[type as HostedType];
    return sum === null || each === undefined ? null : sum + each * count;
  }, 0);
}
