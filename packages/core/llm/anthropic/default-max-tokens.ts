/** The longest reply every model of a family takes, in tokens; the first that fits counts. */
const FAMILIES: [name: RegExp, tokens: number][] = [
  [/claude-(2|instant|3-(opus|sonnet|haiku))/, 4096],
  [/claude-3-5/, 8192],
  [/claude/, 32_000],
];

/** For models of other makers behind this wire. */
const OTHERS = 8192;

/** What the text may take beside a budget for thinking, which counts into the same limit. */
const BESIDE_THINKING = 4096;

/**
 * The `max_tokens` of a request that names none, since this wire demands one: what the model's family takes, and
 * more than the `budget_tokens` for thinking, where the provider options give one.
 */
export function defaultMaxTokens(model: string, options: Record<string, unknown>): number {
  const [, tokens = OTHERS] = FAMILIES.find(([name]) => name.test(model)) ?? [];
  return Math.max(tokens, budgetOf(options) + BESIDE_THINKING);
}

function budgetOf({ thinking }: Record<string, unknown>): number {
  const isBudgeted = typeof thinking === 'object' && thinking !== null && 'budget_tokens' in thinking;
  return isBudgeted && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
}
