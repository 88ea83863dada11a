import type { Usage } from '../reply.ts';

/** How the history is made shorter: older rounds become a summary, or lose the results of their calls. */
export type CompactionStrategy = 'summarize' | 'drop_tool_results';

/** When and how the history of a turn is compacted. Null for `max_input_tokens`: only once the provider says that it is too long. */
export type ContextConfig = {
  strategy: CompactionStrategy;
  max_input_tokens: number | null;
  keep_last_rounds: number;
  /** The model that writes summaries, null for the turn's own. */
  model: string | null;
};

/**
 * A compaction before a round: all up to `upToRound` of turn `upToTurn` is sent shorter from then on. A null summary
 * replaces nothing. If none could be written, the turn drops results instead from then on.
 */
export type Compaction = {
  round: number;
  strategy: CompactionStrategy;
  upToTurn: string;
  upToRound: number;
  summary: string | null;
  /** Tokens of the request as they were estimated, without the compaction and with it. */
  beforeTokens: number;
  afterTokens: number;
  /** How many turns and items had been deleted of what it covers. */
  leftOut: number;
  /** Which model wrote the summary, as provider/model; null where none was asked. */
  model: string | null;
  usage: Usage | null;
  requests: number;
  createdAt: string;
};
