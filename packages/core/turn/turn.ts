import type { InputMessage } from './message.ts';
import type { FinishReason } from './reply.ts';
import type { ToolEffect } from './tool.ts';
import type { ToolResult } from './tool-result.ts';
import type { TurnConfig } from './turn-request.ts';
import type { Usage } from './usage.ts';

export type ActiveStatus = 'queued' | 'in_progress' | 'requires_action';
export type TerminalStatus = 'completed' | 'incomplete' | 'failed' | 'cancelled';
export type TurnStatus = ActiveStatus | TerminalStatus;

/** Which limit or stop made the answer incomplete (contract: Turn.incomplete_details). */
export type IncompleteReason =
  | 'max_rounds'
  | 'max_tool_calls'
  | 'max_total_tokens'
  | 'deadline'
  | 'max_output_tokens'
  | 'content_filter';

/** Why a turn failed, in the contract's words. */
export type TurnError = {
  type: 'provider_error' | 'tool_choice_error' | 'internal_error';
  code: string;
  message: string;
  retryable: boolean;
  provider?: { status: number | null; code: string | null; request_id: string | null };
};

/** Whom a call waits for: a client that runs the tool itself, or a person who allows it. */
export type WaitsFor = 'output' | 'approval';

/** What a person decided about a call; `by` is the id of the key they used, null without keys. `at` is RFC 3339. */
export type Approval = { decision: 'allow' | 'deny'; reason: string | null; by: string | null; at: string };

/**
 * One call the model asked for; `result` is null until it is known. `index` is its place in the batch, from 0.
 * `waitsFor` stays after the answer has come; `expired` says that nobody answered in time.
 */
export type ToolCall = {
  round: number;
  index: number;
  id: string;
  name: string;
  arguments: string;
  effect: ToolEffect;
  waitsFor: WaitsFor | null;
  expiresAt: string | null;
  expired: boolean;
  approval: Approval | null;
  claimedBy: string | null;
  claimedAt: string | null;
  result: ToolResult | null;
  completedAt: string | null;
};

/** One committed reply of the model, with the calls it asked for. The answer's own text is the turn's output, not here. */
export type Round = {
  number: number;
  text: string | null;
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  opaque: unknown;
  /** Requests the reply took: one, but for emulated tool calls. */
  requests: number;
  attempts: number;
  startedAt: string;
  completedAt: string;
  calls: ToolCall[];
};

/** A turn as it is stored: everything `nextStep`, the transcript and the resource are made from. */
export type Turn = {
  id: string;
  project: string;
  conversationId: string;
  position: number;
  status: TurnStatus;
  config: TurnConfig;
  input: InputMessage[];
  priority: number;
  metadata: Record<string, string>;
  rounds: Round[];
  output: string | null;
  error: TurnError | null;
  incompleteReason: IncompleteReason | null;
  warnings: string[];
  /** Requests to the model that brought no reply. */
  failedRequests: number;
  lastEvent: number;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  work: Work;
};

/** A turn as a list has it: of its rounds only what they used, and of their calls those that wait for a client or a person. */
export type ListedTurn = Omit<Turn, 'config' | 'rounds'> & {
  config: Pick<TurnConfig, 'model'>;
  rounds: Pick<Round, 'number' | 'usage' | 'requests' | 'calls'>[];
  /** All calls of all rounds. */
  callCount: number;
};

/** Who is on a turn, and since when; judged by the database's clock when the turn was loaded. */
export type Work = {
  /** The step owed, as rings name it: `r1`, `b1`, `r2` … Only checkpoints change it (R2b). */
  step: string;
  /** Raised when the same step is rung again. */
  ring: number;
  /** Whether the conversation is at this turn; later ones wait. */
  atHead: boolean;
  heldBy: string | null;
  /** Held means: by somebody, whose hold has not lapsed (R9). */
  held: boolean;
  /** No other job can be about: a run may start without writing (R3). */
  quiet: boolean;
  overdue: boolean;
  /** Milliseconds to the turn's deadline, null without one. */
  deadlineInMs: number | null;
  /** Runs that took this step and were never heard of again. */
  starts: number;
  /** Failed tries of this step that were not parked. */
  attempts: number;
  parkedMs: number;
  /** The step was postponed for a rate limit. */
  rateLimited: boolean;
  /** When a postponed step is to be tried again; null once that time has come. */
  retryAt: string | null;
  /** That time has not come, by more than the second that a queue's clock may be ahead. */
  early: boolean;
  /** Since when the turn has been as it is: waiting, or due. */
  waitsSince: string;
};

/** Whether a turn has reached an end that only `/retry` may reopen. */
export function isTerminal(status: TurnStatus): status is TerminalStatus {
  return status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled';
}
