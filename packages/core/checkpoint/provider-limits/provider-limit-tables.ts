import type { Generated } from 'kysely';
import type { Window } from './window.ts';

/** A limit that all workers keep together. Requests with the same `name` share it. */
export type ProviderLimit = {
  name: string;
  requests_per_minute?: number | undefined;
  tokens_per_minute?: number | undefined;
  concurrency?: number | undefined;
};

/** A limit with its bookings of the last minute. */
type ProviderLimitRow = { name: string; requests: Generated<Window>; tokens: Generated<Window> };

/** The right of a run to ask while it has its lease. */
type ProviderSlotRow = { limit_name: string; turn_id: string; run_id: string };

/** A turn that waits for room under a limit, for so many requests and tokens. */
type ProviderWaitRow = {
  turn_id: string;
  limit_name: string;
  requests: number;
  tokens: number;
  since: Date;
  woken_at: Generated<Date | null>;
};

/** The tables of the limits that the operator sets for providers. */
export type ProviderLimitTables = {
  provider_limits: ProviderLimitRow;
  provider_slots: ProviderSlotRow;
  provider_waits: ProviderWaitRow;
};
