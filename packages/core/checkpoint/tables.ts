import type { Generated, Kysely, Transaction } from 'kysely';
import type { BulkRow, BulkTurnRow } from './rows/bulk.ts';
import type { ConversationRow } from './rows/conversation.ts';
import type { BlobReferenceRow, BlobRow, FileRow } from './rows/file.ts';
import type { IdempotencyKeyRow, SealingKeyRow } from './rows/key.ts';
import type { ProviderLimitRow, ProviderSlotRow, ProviderWaitRow, ToolRateRow } from './rows/limit.ts';
import type { CompactionRow, EventRow, InputRow, RoundRow, ToolCallRow } from './rows/round.ts';
import type { SearchEntryRow, SearchProgressRow } from './rows/search.ts';
import type { TurnRow, TurnStateRow, WorkRow } from './rows/turn.ts';
import type { UsageRecordRow, UsageSumRow } from './rows/usage.ts';
import type { DeliveryAttemptRow, DeliveryRow, WebhookEndpointRow, WebhookSecretRow } from './rows/webhook.ts';
import type { WorkerRow } from './rows/worker.ts';

/** A connection anywhere, outside or inside a transaction. */
export type Db = Kysely<Tables>;

/** The caller's own transaction: what takes it must commit together with the caller's other writes. */
export type Trx = Transaction<Tables>;

export type Tables = {
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
  provider_limits: ProviderLimitRow;
  provider_slots: ProviderSlotRow;
  provider_waits: ProviderWaitRow;
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
