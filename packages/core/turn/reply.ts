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
  opaque: unknown;
  /** The reply has reasoning or media, so it says something although it has no text and no calls. */
  hasMore?: boolean;
  /** Requests it took, where it took more than one (emulated tool calls); `usage` is their sum. */
  requests?: number;
  /** Sentences for the caller. */
  warnings?: string[];
};

/**
 * Tokens of one model call. Input includes cached tokens, output includes reasoning tokens (contract: Turn). `cost_usd` is what
 * they cost when the round was saved; absent or null where that is not known.
 */
export type Usage = {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
  cost_usd?: number | null;
};

const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
};

/** The sum over the rounds that have usage: not every provider reports it. */
export function sumUsage(usages: readonly (Usage | null)[]): typeof NO_USAGE {
  return usages.reduce((sum, usage) => (usage ? add(sum, usage) : sum), NO_USAGE);
}

type Used = { usage: Usage | null };
type Uses = Record<'rounds' | 'compactions', readonly Used[]>;

/** What each request for a reply of a turn used: its rounds', and those of the summaries that were written for it. */
export function usagesOfTurn({ rounds, compactions }: Uses): (Usage | null)[] {
  return [...rounds, ...compactions].map(({ usage }) => usage);
}

/** What a turn used in all. */
export function usageOfTurn(turn: Uses): typeof NO_USAGE {
  return sumUsage(usagesOfTurn(turn));
}

function add(a: typeof NO_USAGE, b: Usage): typeof NO_USAGE {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

/** What rounds cost together, as far as it is known. */
export function sumKnownCosts(usages: readonly (Usage | null)[]): number {
  const sum = usages.reduce((usd, usage) => usd + (usage?.cost_usd ?? 0), 0);
  // Sums of decimal fractions are a little off.
  return Math.round(sum * 1e12) / 1e12;
}

/** What rounds cost together; null as soon as it is not known of one. */
export function sumCosts(usages: readonly (Usage | null)[]): number | null {
  const isKnown = usages.every((usage) => typeof usage?.cost_usd === 'number');
  return isKnown ? sumKnownCosts(usages) : null;
}
