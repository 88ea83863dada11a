import type { Generated } from 'kysely';
import type { EventType } from '../../turn/event.ts';
import type { Violation } from '../../turn/output/violation.ts';
import type { Usage } from '../../turn/reply.ts';
import type { InputItem } from '../../turn/request/item.ts';
import type { ToolEffect } from '../../turn/request/tool.ts';
import type { ToolResult } from '../../turn/tool-result.ts';
import type { Approval, WaitsFor } from '../../turn/turn.ts';

export type RoundRow = {
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

export type InputRow = {
  turn_id: string;
  number: number;
  content: InputItem[];
  metadata: Record<string, string>;
  created_at: Generated<Date>;
};

export type ToolCallRow = {
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

export type EventRow = {
  turn_id: string;
  number: number;
  id: string;
  type: EventType;
  round: number | null;
  call_index: number | null;
  data: Record<string, unknown> | null;
  created_at: Generated<Date>;
};
