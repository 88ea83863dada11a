import type { ColumnType, Generated } from 'kysely';
import type { EndpointEvent } from '../../turn/request/webhook-endpoint.ts';

export type WebhookEndpointRow = {
  id: string;
  project: string;
  url: string;
  description: string | null;
  events: EndpointEvent[];
  with_turn: boolean;
  status: Generated<'enabled' | 'disabled'>;
  disabled_reason: string | null;
  failing_since: Date | null;
  secret: string;
  old_secret: string | null;
  old_secret_until: Date | null;
  created_at: Generated<Date>;
};

export type DeliveryRow = {
  id: string;
  project: string;
  turn_id: string | null;
  event_number: number | null;
  event: Record<string, unknown> | null;
  endpoint_id: string | null;
  url: string;
  receiver: ColumnType<string, never, never>;
  with_turn: boolean;
  status: Generated<'pending' | 'delivered' | 'failed'>;
  attempts: Generated<number>;
  last_status_code: number | null;
  last_error: string | null;
  next_attempt_at: Date | null;
  due_at: Date | null;
  lease_until: Date | null;
  created_at: Generated<Date>;
  delivered_at: Date | null;
};

export type DeliveryAttemptRow = {
  delivery_id: string;
  at: Generated<Date>;
  attempt: number;
  duration_ms: number;
  status_code: number | null;
  body: string | null;
  error: string | null;
};

export type WebhookSecretRow = {
  project: string;
  secret: string;
  created_at: Generated<Date>;
};
