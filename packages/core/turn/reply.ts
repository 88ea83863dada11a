import type { RequestedCall } from './message.ts';

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'other';

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
  /** Requests it took, where it took more than one (emulated tool calls); `usage` is their sum. */
  requests?: number;
  /** Sentences for the caller. */
  warnings?: string[];
};

/** Tokens of one model call. Input includes cached tokens, output includes reasoning tokens (contract: Turn). */
export type Usage = {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
};

const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
};

/** The sum over the rounds that have usage: not every provider reports it. */
export function sumUsage(usages: readonly (Usage | null)[]): Usage {
  return usages.reduce<Usage>((sum, usage) => (usage ? add(sum, usage) : sum), NO_USAGE);
}

/** What a turn used in all: its rounds, and the summaries that were written for it. */
export function usageOfTurn({ rounds, compactions }: Record<'rounds' | 'compactions', readonly Used[]>): Usage {
  return sumUsage([...rounds, ...compactions].map(({ usage }) => usage));
}

type Used = { usage: Usage | null };

function add(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}
