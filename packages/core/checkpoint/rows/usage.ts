import type { Generated } from 'kysely';

type UsageColumns =
  | ('turns' | 'rounds' | 'tool_calls' | 'input_tokens' | 'output_tokens' | 'total_tokens')
  | ('cached_input_tokens' | 'cache_write_tokens' | 'reasoning_tokens' | 'cost_usd' | 'unpriced');

/** A row of `usage_records`: what one commit used. */
export type UsageRecordRow = {
  at: Generated<Date>;
  project: string;
  model: string;
  key_id: string | null;
} & Record<UsageColumns, Generated<string>>;

/** A row of `usage_sums`: what records that were alike came to. */
export type UsageSumRow = { at: Date; project: string; model: string; key_id: string } & Record<UsageColumns, string>;
