import type { Usage } from '../reply.ts';

/** How the history is made shorter: a summary replaces older rounds, or notes replace the results of their calls. */
export type CompactionStrategy = 'summarize' | 'drop_tool_results';

/**
 * When and how the history of a turn is compacted. If `max_input_tokens` is null, only after the provider says that
 * the history is too long.
 */
export type ContextConfig = {
  strategy: CompactionStrategy;
  max_input_tokens: number | null;
  keep_last_rounds: number;
  /** The model that writes summaries, null for the turn's own. */
  model: string | null;
};

/**
 * A compaction before a round: later requests have a shorter form of everything up to `upToRound` of turn `upToTurn`.
 * A null summary replaces no part of the history. If the model can write no summary, the turn drops results instead
 * from then on.
 */
export type Compaction = {
  round: number;
  strategy: CompactionStrategy;
  upToTurn: string;
  upToRound: number;
  summary: string | null;
  /** Estimated tokens of the request, without the compaction and with it. */
  beforeTokens: number;
  afterTokens: number;
  /** How many of the covered turns and items were deleted before. */
  leftOut: number;
  /** The model that wrote the summary, as provider/model, or null if no model was asked. */
  model: string | null;
  usage: Usage | null;
  requests: number;
  createdAt: string;
};
