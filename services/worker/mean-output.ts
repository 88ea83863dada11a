/** The average number of tokens in the replies of each model, in this process. */
export type MeanOutput = {
  note(model: string, tokens: number): void;
  /** Returns the average, or undefined until the model has replied. */
  of(model: string): number | undefined;
};

/** The weight of the last reply in the average. */
const SHARE = 0.1;

/** The maximum number of remembered models, since callers choose their names. */
const MOST_MODELS = 1_000;

/** Keeps the averages, in which later replies count more. */
export function makeMeanOutput(): MeanOutput {
  const means = new Map<string, number>();
  return {
    note: (model, tokens) => {
      const before = means.get(model);
      if (before === undefined && means.size >= MOST_MODELS) means.clear();
      means.set(model, before === undefined ? tokens : before + (tokens - before) * SHARE);
    },
    of: (model) => means.get(model),
  };
}
