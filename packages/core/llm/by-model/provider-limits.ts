import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { isModelMeant, readByPattern, unusedPatterns } from './model-pattern.ts';

const EXAMPLE = '{"openai/*":{"requests_per_minute":500}}';

const most = z.int('give a whole number, 1 or more').min(1, 'give a whole number, 1 or more').optional();

/** The limits of the requests of all workers to a provider, or to the models of a pattern. */
export const GivenLimits = z
  .strictObject(
    { requests_per_minute: most, tokens_per_minute: most, concurrency: most },
    'give an object of requests_per_minute, tokens_per_minute and concurrency',
  )
  .refine((given) => Object.values(given).some((value) => value !== undefined), 'give at least one limit');
export type GivenLimits = z.infer<typeof GivenLimits>;

/** One limit. `name` is the pattern of the models that share it. */
export type ProviderLimit = GivenLimits & { name: string };

export type ProviderLimits = {
  all: readonly ProviderLimit[];
  /** Returns the limits of a request to a model: all limits with a matching pattern. */
  of(model: string): readonly ProviderLimit[];
};

/** Reads the limits of `PAWL_PROVIDER_LIMITS` and `PAWL_PROVIDERS`. A `Misconfigured` names the wrong path. */
export function readProviderLimits(
  text: string | undefined,
  ofProviders: Record<string, GivenLimits> = {},
): ProviderLimits {
  const given = readByPattern({ variable: 'PAWL_PROVIDER_LIMITS', text, value: GivenLimits, example: EXAMPLE });
  const whole = Object.entries(ofProviders).map(([name, limits]) => ({ name: `${name}/*`, ...limits }));
  const twice = whole.find(({ name }) => given[name]);
  if (twice)
    throw new Misconfigured(
      `PAWL_PROVIDER_LIMITS.${twice.name}: PAWL_PROVIDERS also has limits for this provider. Set the limits in one place.`,
    );
  const all = [...whole, ...Object.entries(given).map(([name, limits]) => ({ name, ...limits }))];
  return { all, of: (model) => (all.length === 0 ? NONE : all.filter(({ name }) => isModelMeant(name, model))) };
}

/** Returns a sentence for each limit of a provider that is not configured, which is probably misspelt. */
export function unusedLimits({ all }: Pick<ProviderLimits, 'all'>, providers: readonly string[]): string[] {
  const names = all.map(({ name }) => name);
  return unusedPatterns(names, providers).map(
    (name) => `PAWL_PROVIDER_LIMITS.${name}: no provider of this name is configured, so this limit is not used.`,
  );
}

const NONE: readonly ProviderLimit[] = [];
