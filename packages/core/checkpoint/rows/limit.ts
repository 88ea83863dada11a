import type { Generated } from 'kysely';

/** The bookings of the last minute: amounts by the number of their quarter of a second since 1970. */
export type Window = Record<string, number>;

/** A limit with its bookings of the last minute. */
export type ProviderLimitRow = { name: string; requests: Generated<Window>; tokens: Generated<Window> };

/** The right of a run to ask while it has its lease. */
export type ProviderSlotRow = { limit_name: string; turn_id: string; run_id: string };

/** A turn that waits for room under a limit, for so many requests and tokens. */
export type ProviderWaitRow = {
  turn_id: string;
  limit_name: string;
  requests: number;
  tokens: number;
  since: Date;
  woken_at: Generated<Date | null>;
};

export type ToolRateRow = {
  project: string;
  tool: string;
  max: number;
  per_seconds: number;
  starts: Generated<Date[]>;
};
