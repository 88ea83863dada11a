import type { Generated } from 'kysely';
import type { TurnTrace } from '../../trace-context.ts';
import type { InputItem } from '../../turn/request/item.ts';
import type { TurnConfig } from '../../turn/request/turn.ts';
import type { ActiveStatus, IncompleteReason, Place, TerminalStatus, TurnError, TurnStatus } from '../../turn/turn.ts';

/** A row of `turns`: the request, and the outcome once the turn has ended. */
export type TurnRow = {
  id: string;
  project: string;
  conversation_id: string;
  position: number | null;
  priority: number;
  config: TurnConfig;
  input: InputItem[];
  metadata: Record<string, string>;
  key_id: string | null;
  deadline_at: Date | null;
  start_at: Generated<Date | null>;
  schedule_id: Generated<string | null>;
  continues: Generated<string | null>;
  stored: Generated<boolean>;
  trace: Generated<TurnTrace | null>;
  created_at: Generated<Date>;
  status: TerminalStatus | null;
  output: string | null;
  error: TurnError | null;
  incomplete_reason: IncompleteReason | null;
  completed_at: Date | null;
  step: Generated<string>;
  generation: Generated<number>;
  edition: Generated<number>;
  model: string | null;
  started_at: Date | null;
  last_event: Generated<number>;
  inputs: Generated<number>;
  begun_with: Generated<number | null>;
  compacted_before: Generated<number | null>;
  warnings: Generated<string[]>;
  failed_requests: Generated<number>;
  hidden_at: Generated<Date | null>;
  history_until: Generated<number | null>;
  deletion: Generated<number | null>;
  deleted_items: Generated<string[] | null>;
};

/** A row of `work`: the step, the lease and the due time of an active turn. */
export type WorkRow = {
  id: string;
  project: string;
  conversation_id: string;
  position: number | null;
  priority: number;
  key_id: string | null;
  deadline_at: Date | null;
  stored: boolean;
  status: Generated<ActiveStatus>;
  step: Generated<string>;
  at_head: boolean;
  open_calls: Generated<number>;
  waiting_calls: Generated<number>;
  last_event: Generated<number>;
  provider: string;
  model: string;
  due_at: Date;
  generation: Generated<number>;
  rescues: Generated<number>;
  lease_owner: string | null;
  lease_until: Date | null;
  starts: Generated<number>;
  edition: Generated<number>;
  attempts: Generated<number>;
  retry_at: Date | null;
  rate_limited: Generated<boolean>;
  waiting_since: Generated<Date>;
  waited_ms: Generated<number>;
  tier_wait: Generated<{ refusals: number; since: string; tier: string | null } | null>;
  place: Generated<Place | null>;
  debounced: Generated<boolean>;
  started_at: Date | null;
  warnings: Generated<string[]>;
  failed_requests: Generated<number>;
  inputs: Generated<number>;
  begun_with: Generated<number | null>;
  compacted_before: Generated<number | null>;
};

/** A row of the view `turn_states`: a turn with its work while it is active. */
export type TurnStateRow = Omit<TurnRow, keyof WorkState | 'status'> &
  WorkState & { status: TurnStatus; provider: string | null; due_at: Date | null; waiting_since: Date | null };

type WorkState = Omit<WorkRow, keyof Request | 'status' | 'provider' | 'due_at' | 'waiting_since'>;

type Request = Pick<
  WorkRow,
  'id' | 'project' | 'conversation_id' | 'position' | 'priority' | 'key_id' | 'deadline_at' | 'stored'
>;
