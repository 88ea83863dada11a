/** What was used, of one group; `day`, `project`, `model` and `key` are there where it is grouped by them. */
export type UsageResource = {
  day?: string;
  project?: string;
  model?: string;
  key?: string | null;
  turns: number;
  rounds: number;
  tool_calls: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
};
