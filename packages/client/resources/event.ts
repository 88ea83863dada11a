import type {
  InputMessage,
  RequiredAction,
  Round,
  TerminalStatus,
  ToolCall,
  ToolResult,
  TurnError,
  TurnResource,
} from './turn.ts';

/** The fields of each event type, besides those of all events. */
type EventFields = Record<'turn.queued' | 'turn.started' | 'turn.resumed', unknown> & {
  'input.added': { input: InputMessage[]; metadata: Record<string, string> };
  'round.completed': {
    round: number;
    assistant_response: string | null;
    tool_calls: ToolCall[];
    finish_reason: Round['finish_reason'];
    usage: Round['usage'];
    attempts: number;
  };
  'tool_call.completed': { round: number; tool_call_id: string; name: string; result: ToolResult };
  'context.compacted': {
    round: number;
    up_to_turn: string;
    up_to_round: number;
    before_tokens: number;
    after_tokens: number;
  };
  'step.retrying': { round: number; phase: 'llm_round' | 'tool_batch'; error: TurnError; retry_in_ms: number };
  'model.changed': { round: number; from: string; to: string; error: TurnError };
  'tier.changed': { round: number; from: string; to: string; because: 'refused' | 'deadline' | 'waited' };
  'turn.requires_action': { required_action: RequiredAction };
} & Record<`turn.${TerminalStatus}`, { turn: TurnResource }>;

type EventHead<Type> = { type: Type; turn_id: string; id: string; sequence_number: number; created_at: string };

/** An event that is kept as long as its turn. */
export type EventResource = { [Type in keyof EventFields]: EventHead<Type> & EventFields[Type] }[keyof EventFields];

/** An event that is streamed and never kept: previews, addressed so that a client can place them. */
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
