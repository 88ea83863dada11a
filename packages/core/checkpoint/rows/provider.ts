import type { Generated } from 'kysely';

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
