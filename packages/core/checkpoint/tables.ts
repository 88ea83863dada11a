import type { Generated, Kysely, Transaction } from 'kysely';
import type { ConversationRow } from './rows/conversation.ts';
import type { IdempotencyKeyRow, SealingKeyRow } from './rows/key.ts';
import type { ProviderSlotRow, ProviderWaitRow } from './rows/provider.ts';
import type { EventRow, InputRow, RoundRow, ToolCallRow } from './rows/round.ts';
import type { TurnRow, TurnStateRow, WorkRow } from './rows/turn.ts';
import type { DeliveryAttemptRow, DeliveryRow, WebhookEndpointRow, WebhookSecretRow } from './rows/webhook.ts';
import type { WorkerRow } from './rows/worker.ts';

/** A connection anywhere, outside or inside a transaction. */
export type Db = Kysely<Tables>;

/** The caller's own transaction: what takes it must commit together with the caller's other writes. */
export type Trx = Transaction<Tables>;

/** The tables that the query builder names. Statements in SQL name others too: `migrations/` has them all. */
export type Tables = {
  conversations: ConversationRow;
  turns: TurnRow;
  work: WorkRow;
  turn_states: TurnStateRow;
  rounds: RoundRow;
  tool_calls: ToolCallRow;
  inputs: InputRow;
  events: EventRow;
  blob_references: { project: string; sha256: string; turn_id: string };
  webhook_endpoints: WebhookEndpointRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  idempotency_keys: IdempotencyKeyRow;
  webhook_secrets: WebhookSecretRow;
  sealing_keys: SealingKeyRow;
  provider_slots: ProviderSlotRow;
  provider_waits: ProviderWaitRow;
  workers: WorkerRow;
  bulk_turns: { bulk_id: string; turn_id: string; outcome: Generated<string | null> };
  request_minutes: { project: string; begun_at: Date; requests: number };
};
