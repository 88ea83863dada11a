import type { ListedModel } from '#core/llm/http/list-models.ts';
import type { Providers } from '#core/llm/providers.ts';

/** What each provider lists, as it was within the last minute. */
export type ModelLists = {
  /** Rejects where the provider cannot be asked, which is not kept; empty where it has no list. */
  listOf(provider: string): Promise<ListedModel[]>;
};

/** A provider that takes longer cannot be asked. */
const LONGEST_MS = 5_000;

const KEPT_MS = 60_000;

/** Lists that are kept for a minute; all who ask meanwhile wait for one answer. */
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
