import type { ListedModel } from '#core/llm/http/list-models.ts';
import type { Providers } from '#core/llm/providers.ts';

/** The models that each provider listed within the last minute. */
export type ModelLists = {
  /**
   * Rejects if the provider is unavailable. This result is not kept. Returns an empty list if the provider has no
   * list.
   */
  listOf(provider: string): Promise<ListedModel[]>;
};

/** A provider that takes longer counts as unavailable. */
const LONGEST_MS = 5_000;

const KEPT_MS = 60_000;

/** Keeps lists for a minute. Concurrent requests wait for the same answer. */
export function makeModelLists(
  context: { providers: Pick<Providers, 'find'> },
  now: () => number = Date.now,
): ModelLists {
  const kept = new Map<string, { until: number; models: Promise<ListedModel[]> }>();
  const ask = async (provider: string) =>
    (await context.providers.find(provider).listModels?.(AbortSignal.timeout(LONGEST_MS))) ?? [];
  return {
    listOf: (provider) => {
      const known = kept.get(provider);
      if (known && now() < known.until) return known.models;
      const models = ask(provider);
      kept.set(provider, { until: now() + KEPT_MS, models });
      models.catch(() => kept.get(provider)?.models === models && kept.delete(provider));
      return models;
    },
  };
}
