import type { TurnTrace } from '../trace-context.ts';
import type { Compaction } from './compaction/compaction.ts';
import { type LimitReason, limits } from './limits.ts';
import type { Violation } from './output/violation.ts';
import type { FinishReason, Usage } from './reply.ts';
import type { InputItem } from './request/item.ts';
import type { ToolEffect } from './request/tool.ts';
import type { StandingConfig, TurnConfig } from './request/turn.ts';
import type { ToolResult } from './tool-result.ts';

export const ACTIVE_STATUSES = ['queued', 'in_progress', 'requires_action'] as const;
export const TERMINAL_STATUSES = ['completed', 'incomplete', 'failed', 'cancelled'] as const;
export const TURN_STATUSES = [...ACTIVE_STATUSES, ...TERMINAL_STATUSES] as const;

export type ActiveStatus = (typeof ACTIVE_STATUSES)[number];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];
export type TurnStatus = ActiveStatus | TerminalStatus;

/** The limit or the stop that made an answer incomplete (contract: Turn.incomplete_details). */
export type IncompleteReason = LimitReason | 'max_output_tokens' | 'content_filter' | 'unknown_finish_reason';

/** All of these reasons. */
export const INCOMPLETE_REASONS: readonly IncompleteReason[] = [
  ...limits.map(({ reason }) => reason),
  'max_output_tokens',
  'content_filter',
  'unknown_finish_reason',
];

/** Why a turn failed, in the contract's words. */
export type TurnError = {
  type: 'provider_error' | 'tool_choice_error' | 'output_schema_error' | 'internal_error';
  code: string;
  message: string;
  retryable: boolean;
  provider?: { status: number | null; code: string | null; request_id: string | null };
};

/** What a call waits for: the output of a client that runs the tool itself, or a person's approval. */
export type WaitsFor = 'output' | 'approval';

/** A person's decision. `by` is the id of their key; `arguments` are JSON in place of the model's (R39). */
export type Approval = {
  decision: 'allow' | 'deny';
  reason: string | null;
  by: string | null;
  at: string;
  arguments?: string;
};

/** A requested call. `index` counts from 0; `waitsFor` stays after the answer; `expired`: no answer came in time. */
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

/** An input that has joined a turn after it was asked for (R26). */
export type JoinedInput = { content: InputItem[]; metadata: Record<string, string> };

/** One committed reply of the model, with its calls. The text of a turn's answer is its `output` and not here. */
export type Round = {
  number: number;
  model: string;
  text: string | null;
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  serviceTier: string | null;
  opaque: unknown;
  /** `opaque` as a caller may keep it. No row has it: it is added where an answer shows it (contract-responses R33). */
  sealed?: string;
  /** What the model thought before its first text or call. */
  reasoning: string | null;
  /** Where in the text a refusal begins, in UTF-16 code units; null where the model did not refuse. */
  refusalFrom: number | null;
  /** Where its text, an answer, breaks the output schema of the turn; null where it does not, or is no answer. */
  violations: Violation[] | null;
  /** Which edition of the round was committed: 0, and one more for each time that pieces of it may have been told in vain. */
  edition: number;
  /** Requests that the reply took: more than one with emulated tool calls only. */
  requests: number;
  attempts: number;
  /** How many of the inputs that have joined its turn the model was sent with it or before: all that its run had loaded (R29). */
  sent: number;
  /** What of these was sent with it for the first time, after the results of the round before. */
  input: InputItem[];
  startedAt: string;
  completedAt: string;
  calls: ToolCall[];
};

/** A turn as it is stored: `nextStep`, the transcript and the resource are made from it alone. */
export type Turn = {
  id: string;
  project: string;
  conversationId: string;
  /** Its place in the line of its conversation; behind all others while it is delayed. */
  position: number;
  status: TurnStatus;
  config: TurnConfig;
  /** What it began with: the input that it was asked with, and what has joined before it was begun. */
  input: InputItem[];
  /** All inputs that have joined it, in the order of acceptance. */
  joined: JoinedInput[];
  /** How many of these it began with; null until it is begun. */
  begunWith: number | null;
  /** What has joined since it was begun, and was sent with no committed round. */
  pendingInput: InputItem[];
  priority: number;
  metadata: Record<string, string>;
  /** Calls of earlier turns that a person has allowed: this turn runs them first, as those of a round 0 (R22). */
  adopted: ToolCall[];
  rounds: Round[];
  compactions: Compaction[];
  output: string | null;
  error: TurnError | null;
  incompleteReason: IncompleteReason | null;
  warnings: string[];
  failedRequests: number;
  lastEvent: number;
  /** False: no caller finds the turn, and its rows go soon after its end (contract-responses R14). */
  stored: boolean;
  /** Deleted: no caller finds the turn. Its rows stay as long as another turn stands on it. */
  hidden: boolean;
  trace?: TurnTrace | null;
  createdAt: string;
  /** Before this time it is not begun; null where no time was asked for. */
  startAt: string | null;
  scheduleId: string | null;
  /** The id of the turn with the earlier completion, if the messages continue one (contract-responses R83). */
  continues: string | null;
  startedAt: string | null;
  completedAt: string | null;
  work: Work;
  /** Bytes of a turn that was read without its texts; a whole turn has none. */
  outlinedBytes?: number;
};

/** A turn as a list has it: without its texts, and with a flag for a response and for an output schema. */
export type ListedTurn = Omit<Turn, 'config' | 'rounds' | 'adopted' | 'compactions'> & {
  config: Pick<TurnConfig, 'model' | 'origin'> & { response?: unknown; output_schema?: unknown };
  rounds: Pick<Round, 'number' | 'usage' | 'requests' | 'sent' | 'calls'>[];
  compactions: Pick<Compaction, 'usage' | 'requests'>[];
  callCount: number;
};

/** The work on a turn: its step, its lease, its tries. Times are judged by the database's clock when the turn is read. */
export type Work = {
  /** The name of the step that is due (`step.ts`). Only checkpoints change it (R2b). */
  step: string;
  /** The model that is asked now: the turn's own, or the fallback that it has changed to (R24). */
  model: string;
  /** Raised when a wake-up for the same step is enqueued again. */
  generation: number;
  /** Whether the conversation is at this turn; later ones wait. */
  atHead: boolean;
  /** Whether its time has not come: it is in no line, and seen by no other turn (R35). */
  delayed: boolean;
  leaseOwner: string | null;
  /** Whether a run has the lease, and it has not run out (R9). */
  leased: boolean;
  /** No other job for the step can exist: a run may start without writing (R3). */
  uncontended: boolean;
  /** The edition of the round that the next lease hands out (contract-responses R45). */
  edition: number;
  overdue: boolean;
  /** Milliseconds to the turn's deadline, null without one. */
  deadlineInMs: number | null;
  /** Runs that took this step and ended without a word. */
  starts: number;
  /** Failed tries of this step, without those that a rate limit refused. */
  attempts: number;
  /** Time that the turn has waited for rate limits, in milliseconds. */
  waitedMs: number;
  /** Null until the provider refuses the round for lack of capacity, or the round changes its tier. */
  tierWait: TierWait | null;
  /** The step was postponed for a rate limit, or for capacity. */
  rateLimited: boolean;
  /** The time of the next try of a postponed step; null once it has come. */
  retryAt: string | null;
  /** That time is more than a second ahead: a queue's clock may be one second fast. */
  early: boolean;
  /** The time since which the turn waits, or its step is due. */
  waitingSince: string;
  /** Its place among those of the workers; null where turns need none (R27). */
  place: Place | null;
  /** It wants a place while its project has as many turns at work as it may. */
  quotaFull: boolean;
  /** True if an endpoint of its project may want its events (R16), as of the read. Always false once the turn has ended. */
  hasEndpoints: boolean;
};

/** A round that lacked capacity: its refusals, the milliseconds since the first, and its new tier. */
export type TierWait = { refusals: number; waitedMs: number; tier: 'default' | null };

/** `held` while a step of the turn is in the queue or at work, `wanted` where one would be, `none` while the turn waits. */
export type Place = 'none' | 'wanted' | 'held' | 'stopped';

/** Whether the turn has to wait for a place before a worker may be on it. */
export function lacksPlace({ work }: { work: Pick<Work, 'place'> }): boolean {
  return work.place !== null && work.place !== 'held';
}

/** A conversation as it is stored, with the turn it is at. */
export type Conversation = {
  id: string;
  config: StandingConfig;
  metadata: Record<string, string>;
  activeTurnId: string | null;
  /** The turn up to which another conversation's history is this one's too, null where it is no fork. */
  forkedFrom: string | null;
  /** Up to which of its rounds: -1 where the turn itself is no part of it, null where all of it is. */
  forkedRound: number | null;
  createdAt: string;
  /** When it goes with all its turns; null where it does not, or while one of them is active. */
  expiresAt: string | null;
};

/** Whether a turn is added items: completed without a model, and no turn for callers (contract-responses R27). */
export function isAdded({ status, startedAt }: Pick<Turn, 'status' | 'startedAt'>): boolean {
  return status === 'completed' && startedAt === null;
}

/** Whether a turn has ended. Only `/retry` reopens one, and only one that failed. */
export function isTerminal(status: TurnStatus): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}
