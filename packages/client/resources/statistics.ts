import type { TurnStatus } from './turn.ts';

/** Half of the values are at most the one, 95 of a hundred the other; in milliseconds. */
type Percentiles = { p50: number; p95: number } | null;
type Precision = 'exact' | 'sampled' | 'at_least';
type Figures = {
  from: string;
  to: string;
  precision: Precision;
  turns: Record<TurnStatus, number>;
  duration_ms: Percentiles;
  queue_wait_ms: Percentiles;
  input_tokens: number;
  output_tokens: number;
};

/** What became of the turns of a range of time, in all and in equal buckets, and those that failed by the code of their error. */
export type StatisticsResource = Figures & {
  object: 'statistics';
  buckets: Figures[];
  failures: {
    error_code: string;
    turns: number;
    precision: Precision;
    example: { turn_id: string; project: string; message: string; created_at: string };
  }[];
};
