import type { RequestedCall } from './message.ts';

export const FINISH_REASONS = ['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'other'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** A model's answer of one round, the same for all wires. `opaque` goes back verbatim to the same provider. */
export type Reply = {
  text: string | null;
  /** `id` is empty where the provider gave none; ids are settled before the round is saved. */
  calls: RequestedCall[];
  /** What the model thought before its first text or call, as far as the provider shows it. */
  reasoning?: string | null;
  /** Where in `text` a refusal begins, in UTF-16 code units. */
  refusalFrom?: number | null;
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  /** The tier that the provider reports, in its own word; absent or null if it reports none. */
  serviceTier?: string | null;
  /** The id that the provider gave its response, and the model that it says wrote it; absent if it reports none. */
  responseId?: string;
  responseModel?: string;
  /** Nothing is left of a limit of the provider for this long, in milliseconds; absent if something is. */
  exhaustedForMs?: number;
  opaque: unknown;
  /** The reply has reasoning or media, so it says something although it has no text and no calls. */
  hasMore?: boolean;
  /** The provider refused the state that it left in earlier rounds, and was asked without it. */
  leftStateOut?: boolean;
  /** Requests it took, where it took more than one (emulated tool calls); `usage` is their sum. */
  requests?: number;
  /** Sentences for the caller. */
  warnings?: string[];
};

/** Tokens of one model call. Input includes those of caches, output includes reasoning (contract: Turn). */
export type Usage = Tokens & {
  /** The written tokens that a cache keeps for an hour or more, at a price of their own; absent if there are none. */
  cache_write_1h_tokens?: number;
  /** The cost when the round was saved, in US dollars; absent or null if it is not known. */
  cost_usd?: number | null;
  /** The US dollars that the cache saved. Negative if the writes cost more than the reads saved. */
  cache_savings_usd?: number | null;
};

const TOKENS = [
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;

type Tokens = Record<(typeof TOKENS)[number], number>;

/** The sum over the rounds that have usage: not every provider reports it. */
export function sumUsage(usages: readonly (Tokens | null)[]): Tokens {
  const sums = TOKENS.map((name) => [name, usages.reduce((sum, usage) => sum + (usage?.[name] ?? 0), 0)]);
  // The names are those of the list.
  return Object.fromEntries(sums) as Tokens;
}

/** The sum over the requests for one reply; null if none of them was counted. */
export function sumRequests(usages: readonly (Usage | null)[]): Usage | null {
  const known = usages.filter((usage) => usage !== null);
  if (known.length === 0) return null;
  const longer = known.reduce((sum, usage) => sum + (usage.cache_write_1h_tokens ?? 0), 0);
  return { ...sumUsage(known), ...(longer > 0 ? { cache_write_1h_tokens: longer } : {}) };
}

type Used = { usage: Usage | null };
type Uses = Record<'rounds' | 'compactions', readonly Used[]>;

/** What each request for a reply of a turn used: its rounds', and those of the summaries that were written for it. */
export function usagesOfTurn({ rounds, compactions }: Uses): (Usage | null)[] {
  return [...rounds, ...compactions].map(({ usage }) => usage);
}

/** What a turn used in all. */
export function usageOfTurn(turn: Uses): Tokens {
  return sumUsage(usagesOfTurn(turn));
}

/** What rounds cost together, as far as it is known. */
export function sumKnownCosts(usages: readonly (Usage | null)[]): number {
  return sumDollars(usages, 'cost_usd');
}

/** What rounds cost together; null as soon as it is not known of one. */
export function sumCosts(usages: readonly (Usage | null)[]): number | null {
  return isKnown(usages, 'cost_usd') ? sumDollars(usages, 'cost_usd') : null;
}

/** The savings of rounds together; null if a price of one is not known. */
export function sumSavings(usages: readonly (Usage | null)[]): number | null {
  return isKnown(usages, 'cache_savings_usd') ? sumDollars(usages, 'cache_savings_usd') : null;
}

type Dollars = 'cost_usd' | 'cache_savings_usd';

function isKnown(usages: readonly (Usage | null)[], field: Dollars): boolean {
  return usages.every((usage) => typeof usage?.[field] === 'number');
}

function sumDollars(usages: readonly (Usage | null)[], field: Dollars): number {
  const sum = usages.reduce((usd, usage) => usd + (usage?.[field] ?? 0), 0);
  // Sums of decimal fractions are a little off.
  return Math.round(sum * 1e12) / 1e12;
}
