import type { TurnTrace } from '../trace-context.ts';
import type { Background } from './background/background.ts';
import type { Compaction } from './compaction/compaction.ts';
import type { Hosted } from './hosted/hosted.ts';
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

/** The limit or the stop that made an answer incomplete. */
export type IncompleteReason = LimitReason | 'max_output_tokens' | 'content_filter' | 'unknown_finish_reason';

export const INCOMPLETE_REASONS: readonly IncompleteReason[] = [
  ...limits.map(({ reason }) => reason),
  'max_output_tokens',
  'content_filter',
  'unknown_finish_reason',
];

export type TurnError = {
  type: 'provider_error' | 'tool_choice_error' | 'output_schema_error' | 'internal_error';
  code: string;
  message: string;
  retryable: boolean;
  provider?: { status: number | null; code: string | null; request_id: string | null };
};

/** The kind of answer that a call waits for: the output of a client that runs the tool, or a person's approval. */
export type WaitsFor = 'output' | 'approval';

/** A person's decision. `by` is the id of their key. `arguments` are JSON and replace the model's (R39). */
export type Approval = {
  decision: 'allow' | 'deny';
  reason: string | null;
  by: string | null;
  at: string;
  arguments?: string;
};

/** A requested call. `index` counts from 0. `waitsFor` stays after the answer. `expired`: no answer arrived in time. */
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

/** An input that joined a turn after its request (R26). */
export type JoinedInput = { content: InputItem[]; metadata: Record<string, string> };

/** One committed reply of the model, with its calls. The text of a turn's answer is only in its `output`. */
export type Round = {
  number: number;
  model: string;
  text: string | null;
  finishReason: FinishReason;
  finishReasonRaw: string | null;
  usage: Usage | null;
  serviceTier: string | null;
  opaque: unknown;
  /** `opaque` in sealed form for a caller. No row has it. Answers that show it add it. */
  sealed?: string;
  /** The thoughts before the model's first text or call. */
  reasoning: string | null;
  /** The start of a refusal in the text, in UTF-16 code units, or null if the model did not refuse. */
  refusalFrom: number | null;
  /** Calls of hosted tools, citations and images. Null if there are none. */
  hosted: Hosted | null;
  /** The violations of the turn's output schema in the answer. Null if there are none, or if the text is no answer. */
  violations: Violation[] | null;
  /** The committed draft number of the round: 0, plus 1 for each earlier attempt that may have published text. */
  draft: number;
  /** Requests for the reply, which may be several only with emulated tool calls. */
  requests: number;
  attempts: number;
  /** How many joined inputs of its turn the model had received, up to this round: all that its run had loaded (R29). */
  inputsSent: number;
  /** The inputs that this round sent first, after the results of the round before. */
  input: InputItem[];
  startedAt: string;
  completedAt: string;
  calls: ToolCall[];
};

/** A turn as it is stored. `nextStep`, the transcript and the resource depend on it alone. */
export type Turn = {
  id: string;
  project: string;
  conversationId: string;
  /** The turn's position in its conversation. A delayed turn is after all others. */
  position: number;
  status: TurnStatus;
  config: TurnConfig;
  /** The input at the turn's beginning: the requested input, and inputs that joined before its start. */
  input: InputItem[];
  /** All joined inputs, in the order of acceptance. */
  joined: JoinedInput[];
  /** How many joined inputs the turn began with, or null before its start. */
  inputsAtStart: number | null;
  /** Inputs that joined after the start and that no committed round has sent. */
  pendingInput: InputItem[];
  priority: number;
  metadata: Record<string, string>;
  /** Calls of earlier turns that a person has allowed. This turn runs them first, as calls of a round 0 (R22). */
  adopted: ToolCall[];
  rounds: Round[];
  compactions: Compaction[];
  output: string | null;
  error: TurnError | null;
  incompleteReason: IncompleteReason | null;
  warnings: string[];
  failedRequests: number;
  lastEvent: number;
  /** False: no caller finds the turn, and its rows are deleted soon after its end. */
  stored: boolean;
  /** Deleted: no caller finds the turn. Its rows stay as long as another turn depends on it. */
  hidden: boolean;
  trace?: TurnTrace | null;
  createdAt: string;
  /** The earliest start, or null without such a time. */
  startAt: string | null;
  scheduleId: string | null;
  /** The id of the turn with the earlier completion, if the messages continue a completion. */
  continues: string | null;
  startedAt: string | null;
  completedAt: string | null;
  work: Work;
  /** The bytes of a turn that was loaded without its texts. A complete turn has none. */
  outlinedBytes?: number;
  /** The outputs of hosted calls that a reader includes, as values of `include`. No row has them. */
  shownOutputs?: readonly string[];
};

/** A turn in a list: without its texts, and with a flag for a response and for an output schema. */
export type ListedTurn = Omit<Turn, 'config' | 'rounds' | 'adopted' | 'compactions'> & {
  config: Pick<TurnConfig, 'model' | 'origin' | 'agent'> & { response?: unknown; output_schema?: unknown };
  /** The `calls` of `hosted` are left out. */
  rounds: Pick<Round, 'number' | 'usage' | 'requests' | 'inputsSent' | 'calls' | 'hosted'>[];
  compactions: Pick<Compaction, 'usage' | 'requests'>[];
  callCount: number;
};

/** The work on a turn: its step, its lease, its attempts. The database's clock judges times when the turn is loaded. */
export type Work = {
  /** The name of the step that is due (`step.ts`). Only checkpoints change it (R2b). */
  step: string;
  /** The model to ask: the turn's own, or a fallback after a change (R24). */
  model: string;
  /** The generation of the step's wakeup, raised when the step is enqueued again. */
  generation: number;
  /** Whether the turn is the head of its conversation. Later turns wait. */
  atHead: boolean;
  /** Whether the turn is before its start time: it has no position, and no other turn sees it (R35). */
  delayed: boolean;
  leaseOwner: string | null;
  /** Whether a run has the lease, and the lease has not expired (R9). */
  leased: boolean;
  /** No other job for the step can exist: a run may start without writing (R3). */
  uncontended: boolean;
  /** The draft number of the round that the next lease assigns. */
  draft: number;
  overdue: boolean;
  /** Milliseconds to the turn's deadline, or null without a deadline. */
  deadlineInMs: number | null;
  /** Runs that took this step and ended without a report. */
  starts: number;
  /** Failed attempts of this step, not counting those that a rate limit refused. */
  attempts: number;
  /** Time that the turn has waited for rate limits, in milliseconds. */
  waitedMs: number;
  /** Null until the provider refuses the round for lack of capacity, or the round changes its tier. */
  tierWait: TierWait | null;
  /** The responses of its provider that the round waits for. Null if there are none. */
  background: Background | null;
  /** The step was postponed for a rate limit, or for capacity. */
  rateLimited: boolean;
  /** The time of the next attempt of a postponed step, or null after that time. */
  retryAt: string | null;
  /** Whether `retryAt` is more than a second away: a queue's clock may be one second fast. */
  early: boolean;
  /** The time since which the turn waits or its step is due. */
  waitingSince: string;
  /** The turn's slot, or null if turns need no slot (R27). */
  slot: Slot | null;
  /** Whether the turn waits for a slot while its project runs its maximum of turns. */
  quotaFull: boolean;
  /**
   * True if an endpoint of its project may subscribe to its events (R16), as of the read. Always false after the
   * turn's end.
   */
  hasEndpoints: boolean;
};

/** A round that lacked capacity: its refusals, the milliseconds since the first, and its new tier. */
export type TierWait = { refusals: number; waitedMs: number; tier: 'default' | null };

/**
 * `held` while a step of the turn is enqueued or running, `wanted` if the turn requests a slot, `none` while it
 * waits.
 */
export type Slot = 'none' | 'wanted' | 'held' | 'stopped';

/** Returns whether the turn must wait for a slot before a worker may take it. */
export function lacksSlot({ work }: { work: Pick<Work, 'slot'> }): boolean {
  return work.slot !== null && work.slot !== 'held';
}

/** A conversation as it is stored, with its active turn. */
export type Conversation = {
  id: string;
  config: StandingConfig;
  metadata: Record<string, string>;
  activeTurnId: string | null;
  /**
   * The turn up to which a fork shares the history of another conversation, or null if the conversation is not a
   * fork.
   */
  forkedFrom: string | null;
  /** The last shared round of that turn: -1 if the turn itself is not shared, null for the complete turn. */
  forkedRound: number | null;
  createdAt: string;
  /** When the conversation and its turns are deleted, or null if it does not expire or has an active turn. */
  expiresAt: string | null;
};

/** Returns whether a turn is added items: completed without a model, and not a turn for callers. */
export function isAdded({ status, startedAt }: Pick<Turn, 'status' | 'startedAt'>): boolean {
  return status === 'completed' && startedAt === null;
}

/** Returns whether a turn has ended. Only `/retry` reopens a turn, and only a failed turn. */
export function isTerminal(status: TurnStatus): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}
