import type { Generated, Kysely, Transaction } from 'kysely';
import type { CompactionStrategy } from '../turn/compaction/compaction.ts';
import type { EventType } from '../turn/event.ts';
import type { Violation } from '../turn/output/violation.ts';
import type { Usage } from '../turn/reply.ts';
import type { ToolEffect } from '../turn/request/tool.ts';
import type { StandingConfig } from '../turn/request/turn.ts';
import type { ToolResult } from '../turn/tool-result.ts';
import type { Approval, WaitsFor } from '../turn/turn.ts';
import type { BulkRow, BulkTurnRow } from './bulk/rows.ts';
import type { BlobReferenceRow, BlobRow, FileRow } from './files/rows.ts';
import type { ProviderLimitTables } from './provider-limits/provider-limit-tables.ts';
import type { SearchEntryRow, SearchProgressRow } from './search/rows.ts';
import type { InputRow } from './turns/inputs/rows.ts';
import type { TurnRow, TurnStateRow, WorkRow } from './turns/rows.ts';
import type { UsageRecordRow, UsageSumRow } from './usage/rows.ts';
import type { DeliveryAttemptRow, DeliveryRow, WebhookEndpointRow, WebhookSecretRow } from './webhooks/rows.ts';

/** A connection anywhere, outside or inside a transaction. */
export type Db = Kysely<Tables>;

/** The caller's own transaction: what takes it must commit together with the caller's other writes. */
export type Trx = Transaction<Tables>;

export type Tables = ProviderLimitTables & {
  conversations: ConversationRow;
  turns: TurnRow;
  work: WorkRow;
  turn_states: TurnStateRow;
  completions: { turn_id: string; project: string; listed: boolean; hash: Generated<string | null> };
  rounds: RoundRow;
  tool_calls: ToolCallRow;
  compactions: CompactionRow;
  inputs: InputRow;
  events: EventRow;
  blobs: BlobRow;
  blob_references: BlobReferenceRow;
  files: FileRow;
  webhook_endpoints: WebhookEndpointRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  idempotency_keys: IdempotencyKeyRow;
  webhook_secrets: WebhookSecretRow;
  sealing_keys: SealingKeyRow;
  tool_rates: ToolRateRow;
  workers: WorkerRow;
  usage_records: UsageRecordRow;
  usage_sums: UsageSumRow;
  bulks: BulkRow;
  bulk_turns: BulkTurnRow;
  search_entries: SearchEntryRow;
  search_progress: SearchProgressRow;
  request_minutes: { project: string; begun_at: Date; requests: number };
  full_projects: { name: string };
};

type ConversationRow = {
  id: string;
  project: string;
  config: StandingConfig;
  metadata: Record<string, string>;
  turns: Generated<number>;
  reopened: Generated<number>;
  forked_from: Generated<string | null>;
  forked_round: Generated<number | null>;
  deletions: Generated<number>;
  forked_after: Generated<number>;
  hidden_at: Generated<Date | null>;
  outlives_turns: Generated<boolean>;
  begun_by_turn: Generated<boolean>;
  erase_due_at: Generated<Date | null>;
  expiry_due_at: Generated<Date | null>;
  created_at: Generated<Date>;
};

type RoundRow = {
  turn_id: string;
  number: number;
  model: string;
  text: string | null;
  reasoning: Generated<string | null>;
  refusal_from: Generated<number | null>;
  service_tier: Generated<string | null>;
  violations: Generated<Violation[] | null>;
  finish_reason: string;
  finish_reason_raw: string | null;
  usage: Usage | null;
  opaque: unknown;
  requests: Generated<number>;
  attempts: number;
  edition: Generated<number>;
  sent: Generated<number>;
  started_at: Date;
  completed_at: Generated<Date>;
};

type ToolCallRow = {
  turn_id: string;
  round: number;
  index: number;
  id: string;
  name: string;
  arguments: string;
  effect: ToolEffect;
  waits_for: WaitsFor | null;
  expires_at: Date | null;
  approval: Approval | null;
  claimed_by: string | null;
  claimed_at: Date | null;
  result: ToolResult | null;
  full_output: string | null;
  cache_key: string | null;
  adopted_by: Generated<string | null>;
  completed_at: Date | null;
};

type CompactionRow = {
  turn_id: string;
  round: number;
  strategy: CompactionStrategy;
  up_to_turn: string;
  up_to_round: number;
  summary: string | null;
  before_tokens: number;
  after_tokens: number;
  left_out: number;
  model: string | null;
  usage: Usage | null;
  requests: number;
  created_at: Generated<Date>;
};

type EventRow = {
  turn_id: string;
  number: number;
  id: string;
  type: EventType;
  round: number | null;
  call_index: number | null;
  data: Record<string, unknown> | null;
  created_at: Generated<Date>;
};

type IdempotencyKeyRow = {
  project: string;
  path: string;
  key: string;
  body_hash: string;
  status_code: number | null;
  resource_id: string | null;
  created_at: Generated<Date>;
};

type SealingKeyRow = {
  id: Generated<number>;
  key: string;
  created_at: Generated<Date>;
};

type ToolRateRow = {
  project: string;
  tool: string;
  max: number;
  per_seconds: number;
  starts: Generated<Date[]>;
};

/** A step that a worker is on, since a moment by the worker's clock. */
export type WorkerStep = { turnId: string; step: string; since: string };

type WorkerRow = {
  id: string;
  started_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  concurrency: number;
  steps: Generated<WorkerStep[]>;
  tools: string[];
};
