import { z } from 'zod';
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

const Price = z.strictObject({ ...figures, tiers: Tiers.optional() }, WHOLE);
type Price = z.infer<typeof Price>;

/** The fields of an entry, of its tiers, and of the price of a tier: by how deep they are below the name of a model. */
const FIELDS = [Price, Tiers, TierPrice].map(({ shape }) => new Intl.ListFormat('en').format(Object.keys(shape)));

/** What models cost, in USD. */
export type Prices = {
  /** The names that prices were given by. */
  names: string[];
  /** The entries without a price for writes to a cache; of a tier, as `name.tiers.batch`. */
  withoutWrites: string[];
  /** Returns whether a model has a price on a tier. */
  has(model: string, tier?: string | null): boolean;
  /**
   * The cost of a reply of a model on the tier that its provider reports; null if the model has no price on that
   * tier, or its provider counts no tokens.
   */
  costOf(model: string, usage: Usage | null, tier?: string | null): Cost | null;
};

/** The cost of a reply in US dollars, and how much more it would have been without a cache. */
export type Cost = { usd: number; savings: number };

/**
 * Reads `PAWL_PRICES`: USD for a million tokens, by model. A name that ends with `*` is that of all models which begin so;
 * the longest name counts. A `Misconfigured` names the place of what is wrong.
 */
export function readPrices(text: string | undefined): Prices {
  const fieldsAt = (path: PropertyKey[]) => FIELDS[path.length - 1];
  const given = readByPattern({ variable: 'PAWL_PRICES', text, value: Price, example: EXAMPLE, fieldsAt });
  const longestFirst = Object.entries(given).toSorted(([one], [other]) => rankOf(other) - rankOf(one));
  const priceOf = (model: string) => longestFirst.find(([name]) => isModelMeant(name, model))?.[1];
  return {
    names: Object.keys(given),
    withoutWrites: Object.entries(given).flatMap(([name, price]) => withoutWritesIn(name, price)),
    has: (model, tier) => priceOn(priceOf(model), tier) !== undefined,
    costOf: (model, usage, tier) => {
      const price = priceOn(priceOf(model), tier);
      return price && usage ? costOf(price, usage) : null;
    },
  };
}

/** A sentence for each price of a provider that is not configured: it was probably misspelt, and prices nothing. */
export function unusedPrices({ names }: Pick<Prices, 'names'>, providers: readonly string[]): string[] {
  const unused = unusedPatterns(names, providers);
  return unused.map((name) => `PAWL_PRICES.${name}: no provider of this name is configured, so it prices nothing.`);
}

/** A sentence for each Claude price without `cache_write`: caching is on by default, and these writes cost more. */
export function pricesWithoutWrites({ withoutWrites }: Pick<Prices, 'withoutWrites'>): string[] {
  const missing = withoutWrites.filter((name) => /claude|^anthropic\//i.test(name));
  return missing.map(
    (name) => `PAWL_PRICES.${name}: cache_write is missing. Add the price of cache writes, else cost_usd is too low.`,
  );
}

function withoutWritesIn(name: string, { tiers = {}, ...price }: Price): string[] {
  const all = Object.entries({ [name]: price, ...prefixed(`${name}.tiers.`, tiers) });
  return all.flatMap(([path, each]) => (each && each.cache_write === undefined ? [path] : []));
}

function prefixed<Value>(prefix: string, values: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

/** A name without `*` is the model's own: it goes before one that is as long. */
function rankOf(name: string): number {
  return name.endsWith('*') ? name.length - 1 : name.length + 0.5;
}

/** The tiers that have prices of their own, in the words of the providers. */
const TIERS = new Map<string, keyof z.infer<typeof Tiers>>([
  ['flex', 'flex'],
  ['batch', 'batch'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

/** The price of a tier. Every other tier is an ordinary one, at the price of the entry itself. */
function priceOn(price: Price | undefined, tier: string | null = null): TierPrice | undefined {
  const own = TIERS.get(tier?.toLowerCase() ?? '');
  return own ? price?.tiers?.[own] : price;
}

/** Each input token is read from a cache, written to one, or neither. */
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
