import type { TerminalStatus } from './turn.ts';

export type TerminalEvent = `turn.${TerminalStatus}`;

/** The durable events, in the contract's words. */
export type EventType =
  | 'turn.queued'
  | 'turn.started'
  | 'round.completed'
  | 'tool_call.completed'
  | 'step.retrying'
  | 'turn.requires_action'
  | 'turn.resumed'
  | TerminalEvent;

/**
 * An event as it is stored. It points at the checkpoint it tells of (`round`, `callIndex`) instead of repeating it;
 * `data` holds only what no other row does.
 */
export type StoredEvent = {
  id: string;
  number: number;
  type: EventType;
  round: number | null;
  callIndex: number | null;
  data: Record<string, unknown> | null;
  createdAt: string;
};

/** An event about to be appended; number and time are given by the row lock and the database. */
export type NewEvent = {
  id: string;
  type: EventType;
  round?: number;
  callIndex?: number;
  data?: Record<string, unknown>;
};

/** What is told while it happens and never stored: previews, addressed so that a client can place them. */
export type LiveEvent =
  | { type: 'round.started'; turn_id: string; round: number; attempt: number }
  | { type: 'output_text.delta'; turn_id: string; round: number; attempt: number; offset: number; delta: string }
  | { type: 'reasoning.delta'; turn_id: string; round: number; attempt: number; offset: number; delta: string }
  | { type: 'tool_call.arguments.delta'; turn_id: string; round: number; attempt: number; index: number; delta: string }
  | {
      type: 'tool_call.started';
      turn_id: string;
      round: number;
      tool_call_id: string;
      name: string;
      status_text: string | null;
    }
  | { type: 'tool_call.progress'; turn_id: string; round: number; tool_call_id: string; value: unknown };

/** Whether an event ends its turn's stream. */
export function isTerminalEvent(type: EventType): type is TerminalEvent {
  return type === 'turn.completed' || type === 'turn.incomplete' || type === 'turn.failed' || type === 'turn.cancelled';
}
