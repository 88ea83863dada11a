import type { Hosted } from './hosted/hosted.ts';
import type { RequestedCall } from './message.ts';

export const FINISH_REASONS = ['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'other'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** A model's answer of one round, the same for all wires. `opaque` is sent back unchanged to the same provider. */
export type Reply = {
  text: string | null;
  /** `id` is empty if the provider gave none. Ids are assigned before the round is saved. */
  calls: RequestedCall[];
  /** The thoughts before the model's first text or call, if the provider shows them. */
  reasoning?: string | null;
  /** The start of a refusal in `text`, in UTF-16 code units. */
  refusalFrom?: number | null;
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  /** The tier that the provider reports, in its own word. Absent or null without a report. */
  serviceTier?: string | null;
  /** The reported id of the response and the reported model. Absent without a report. */
  responseId?: string;
  responseModel?: string;
  /** Milliseconds until the provider has capacity again. Absent if the provider has capacity left. */
  exhaustedForMs?: number;
  opaque: unknown;
  /** Calls of hosted tools, citations and images. Absent if there are none. */
  hosted?: Hosted;
  /** The reply has reasoning or media, so it is not empty although it has no text and no calls. */
  hasMore?: boolean;
  /** The provider refused the state of earlier rounds, and the request was repeated without the state. */
  leftStateOut?: boolean;
  /** The requests for the reply if there was more than one (emulated tool calls). `usage` is their sum. */
  requests?: number;
  /** Warnings for the caller. */
  warnings?: string[];
};

/** Tokens of one model call. Input includes cached tokens, output includes reasoning. */
export type Usage = Tokens & {
  /** Written cache tokens that are kept for an hour or more, at a different price. Absent if there are none. */
  cache_write_1h_tokens?: number;
  /** Calls of hosted tools by kind. Absent if there are none. */
  hosted_calls?: Record<string, number>;
  /** The cost when the round was saved, in US dollars. Absent or null if unknown. */
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

/** Returns the sum over the rounds with usage, since some providers report none. */
export function sumUsage(usages: readonly (Tokens | null)[]): Tokens {
  const sums = TOKENS.map((name) => [name, usages.reduce((sum, usage) => sum + (usage?.[name] ?? 0), 0)]);
  // The names are those of the list.
  return Object.fromEntries(sums) as Tokens;
}

/** Returns the sum over the requests for one reply, or null if no request was counted. */
export function sumRequests(usages: readonly (Usage | null)[]): Usage | null {
  const known = usages.filter((usage) => usage !== null);
  if (known.length === 0) return null;
  const longer = known.reduce((sum, usage) => sum + (usage.cache_write_1h_tokens ?? 0), 0);
  return { ...sumUsage(known), ...(longer > 0 ? { cache_write_1h_tokens: longer } : {}), ...sumHostedCalls(known) };
}

/** Returns the calls of hosted tools of all usages, as a field. Empty without such calls. */
export function sumHostedCalls(usages: readonly (Usage | null)[]): Pick<Usage, 'hosted_calls'> {
  const counts = usages.flatMap((usage) => Object.entries(usage?.hosted_calls ?? {}));
  if (counts.length === 0) return {};
  const sums: Record<string, number> = {};
  for (const [type, count] of counts) sums[type] = (sums[type] ?? 0) + count;
  return { hosted_calls: sums };
}

type Used = { usage: Usage | null };
type Uses = Record<'rounds' | 'compactions', readonly Used[]>;

/** Returns the usage of each reply of a turn: of its rounds and of its summaries. */
export function usagesOfTurn({ rounds, compactions }: Uses): (Usage | null)[] {
  return [...rounds, ...compactions].map(({ usage }) => usage);
}

export function usageOfTurn(turn: Uses): Tokens {
  return sumUsage(usagesOfTurn(turn));
}

/** Returns the sum of the known costs of rounds. */
export function sumKnownCosts(usages: readonly (Usage | null)[]): number {
  return sumDollars(usages, 'cost_usd');
}

/** Returns the cost of rounds, or null if the cost of a round is unknown. */
export function sumCosts(usages: readonly (Usage | null)[]): number | null {
  return isKnown(usages, 'cost_usd') ? sumDollars(usages, 'cost_usd') : null;
}

/** Returns the cache savings of rounds, or null if a saving is unknown. */
export function sumSavings(usages: readonly (Usage | null)[]): number | null {
  return isKnown(usages, 'cache_savings_usd') ? sumDollars(usages, 'cache_savings_usd') : null;
}

type Dollars = 'cost_usd' | 'cache_savings_usd';

function isKnown(usages: readonly (Usage | null)[], field: Dollars): boolean {
  return usages.every((usage) => typeof usage?.[field] === 'number');
}

function sumDollars(usages: readonly (Usage | null)[], field: Dollars): number {
  const sum = usages.reduce((usd, usage) => usd + (usage?.[field] ?? 0), 0);
  // Sums of decimal fractions have rounding errors.
  return Math.round(sum * 1e12) / 1e12;
}
