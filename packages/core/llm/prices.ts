import { z } from 'zod';
import { Misconfigured } from '../failure.ts';
import { parseJsonSetting } from '../json-setting.ts';
import type { Usage } from '../turn/reply.ts';

const usd = z.number('give a number of USD for a million tokens').min(0, 'give a number of USD, 0 or more');

const EXAMPLE = '{"openai/gpt-4.1":{"input":2,"cached_input":0.5,"output":8}}';

const Price = z.strictObject(
  { input: usd, cached_input: usd.optional(), output: usd },
  'give input and output, as in {"input":2,"output":8}',
);
type Price = z.infer<typeof Price>;

const PriceList = z.record(
  z
    .string()
    .regex(/^([A-Za-z0-9_-]+\/[^*]+|[^*]*\*)$/, 'name the model as provider/model; only its last character may be *'),
  Price,
  `give JSON such as ${EXAMPLE}`,
);

/** What models cost, in USD. */
export type Prices = {
  /** The names that prices were given by. */
  names: string[];
  /** Whether a model has a price. */
  has(model: string): boolean;
  /** What a reply of a model cost; null where the model has no price, or its provider counts no tokens. */
  costOf(model: string, usage: Usage | null): number | null;
};

/**
 * Reads `PAWL_PRICES`: USD for a million tokens, by model. A name that ends with `*` is that of all models which begin so;
 * the longest name counts. A `Misconfigured` names the place of what is wrong.
 */
export function readPrices(text: string | undefined): Prices {
  const given = text?.trim() ? readList(text) : {};
  const longestFirst = Object.entries(given).toSorted(([one], [other]) => rankOf(other) - rankOf(one));
  const priceOf = (model: string) => longestFirst.find(([name]) => isMeant(name, model))?.[1];
  return {
    names: Object.keys(given),
    has: (model) => priceOf(model) !== undefined,
    costOf: (model, usage) => {
      const price = priceOf(model);
      return price && usage ? costOf(price, usage) : null;
    },
  };
}

/** A sentence for each price of a provider that is not configured: it was probably misspelt, and prices nothing. */
export function unusedPrices({ names }: Pick<Prices, 'names'>, providers: readonly string[]): string[] {
  const unused = names.filter((name) => name.includes('/') && !providers.includes(name.slice(0, name.indexOf('/'))));
  return unused.map((name) => `PAWL_PRICES.${name}: no provider of this name is configured, so it prices nothing.`);
}

function readList(text: string): Record<string, Price> {
  const { data, error } = PriceList.safeParse(parseJsonSetting('PAWL_PRICES', text, `Give JSON such as ${EXAMPLE}.`));
  if (data) return data;
  const [issue] = error.issues;
  const path = ['PAWL_PRICES', ...(issue?.path ?? [])];
  if (issue?.code === 'unrecognized_keys') {
    const sentence = 'there is no such field; give input, cached_input and output';
    throw new Misconfigured(`${[...path, issue.keys[0]].join('.')}: ${sentence}`);
  }
  const sentence = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  throw new Misconfigured(`${path.join('.')}: ${sentence}`);
}

/** A name without `*` is the model's own: it goes before one that is as long. */
function rankOf(name: string): number {
  return name.endsWith('*') ? name.length - 1 : name.length + 0.5;
}

function isMeant(name: string, model: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name;
}

/** Cached tokens are among those of the input. */
function costOf({ input, cached_input = input, output }: Price, usage: Usage): number {
  const cached = Math.min(usage.cached_input_tokens, usage.input_tokens);
  const micros = (usage.input_tokens - cached) * input + cached * cached_input + usage.output_tokens * output;
  return micros / 1_000_000;
}
