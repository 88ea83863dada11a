import type { LimitReason } from './limits.ts';

/** How far a turn is; the last four are its ends. */
export type TurnStatus = 'queued' | 'in_progress' | 'requires_action' | TerminalStatus;
export type TerminalStatus = 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** A turn as the API returns it. */
export type TurnResource = {
  id: string;
  object: 'turn';
  conversation_id: string;
  /** The response of OpenAI's API that the turn was created as. */
  response_id: string | null;
  status: TurnStatus;
  /** With what has joined before it began. */
  input: InputMessage[];
  /** What has joined since, and is sent with the next round. */
  pending_input: InputMessage[];
  model: string;
  /** The round the turn is at, counted from 1; 0 before it starts. */
  round: number;
  phase: 'llm_round' | 'tool_batch' | null;
  /** The `sequence_number` of its last event. */
  last_event: number;
  /** The answer; the text of the rounds before stands in `rounds`. */
  output: string | null;
  /** The output as a value, of a completed turn with `output_schema`; null of any other. */
  output_parsed: unknown;
  /** The turn that it goes on from, of the first turn of a fork; null of others. */
  forked_from: string | null;
  /** Behind which round of that turn; 0 is before its first. */
  after_round: number | null;
  /** The turn that it runs again; null of others. */
  rerun_of: string | null;
  adopted_calls?: AdoptedCalls;
  rounds: Round[];
  /** Before which rounds the history was compacted. Absent where it never was. */
  compactions?: Compaction[];
  /** What a turn in `requires_action` waits for. */
  required_action: RequiredAction | null;
  /** Why the turn does not run now; null while a step is at work, and after the end. */
  waiting: Waiting | null;
  incomplete_details: { reason: IncompleteReason } | null;
  error: TurnError | null;
  usage: Usage & { llm_calls: number; tool_calls: number };
  warnings: string[];
  metadata: Record<string, string>;
  created_at: string;
  /** The schedule that started it. */
  schedule_id: string | null;
  /** The id of the turn with the earlier chat completion, if this turn continues one. */
  continues: string | null;
  /** Before this time it is not begun; null where no time was asked for. */
  start_at: string | null;
  started_at: string | null;
  completed_at: string | null;
};

/** A turn of a list: the number of its rounds in their place. */
export type ListedTurnResource = Omit<TurnResource, 'adopted_calls' | 'rounds' | 'compactions'> & {
  rounds_count: number;
};

/** Only a user's message may have parts that are no texts. */
export type InputMessage = { role: 'user' | 'assistant' | 'system'; content: string | InputPart[] };

/**
 * A part of a message or of a result. Data is a `data:` URL, or base64 for audio; reads show the path of a blob in its
 * place, `/v1/blobs/…`, which may be sent again.
 */
export type InputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined }
  | {
      type: 'input_file';
      filename?: string | null | undefined;
      file_data?: string | undefined;
      file_url?: string | undefined;
    }
  | { type: 'input_audio'; data: string; format: 'mp3' | 'wav' };

/** One reply of the model, with its calls and their results so far. */
export type Round = {
  number: number;
  /** The model that wrote it. */
  model: string;
  /** What has joined the turn and was sent with this round first. */
  input: InputMessage[];
  assistant_response: string | null;
  finish_reason: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'other';
  finish_reason_raw: string | null;
  usage: Usage | null;
  /** The service tier that the provider reported, in its own word. */
  service_tier: string | null;
  tool_calls: ToolCall[];
  results: ToolResult[];
  started_at: string;
  completed_at: string;
  attempts: number;
};

/**
 * What was sent in the place of older rounds from this round on. A summary that is null replaces nothing: none came that was
 * shorter, or something that it told of was deleted since.
 */
export type Compaction = {
  /** The round before which it was made. */
  round: number;
  strategy: 'summarize' | 'drop_tool_results';
  up_to_turn: string;
  up_to_round: number;
  before_tokens: number;
  after_tokens: number;
  summary: string | null;
  model: string | null;
  usage: Usage | null;
  created_at: string;
};

/** Calls of earlier turns that a person has allowed: they run first. Absent where there are none. */
export type AdoptedCalls = { tool_calls: ToolCall[]; results: ToolResult[] };

/**
 * `arguments` is the model's text where that is not a JSON object. `approved_arguments` is what the call is made with, where a
 * person allowed it with other arguments.
 */
export type ToolCall = {
  id: string;
  name: string;
  arguments: string | Record<string, unknown>;
  approved_arguments?: Record<string, unknown>;
};

/** The answer to one call; `content` is what the model reads. */
export type ToolResult =
  | {
      tool_call_id: string;
      status: 'success' | 'error' | 'handed_over';
      content: string | InputPart[] | null;
      error: ToolError | null;
      truncated: boolean;
      cached: boolean;
      duration_ms: number;
      attempts: number;
    }
  | {
      tool_call_id: string;
      status: 'running' | 'pending';
      content: null;
      error: null;
      truncated: boolean;
      cached: boolean;
      duration_ms: null;
      attempts: number;
    };

export type ToolError = {
  category:
    | 'invalid_arguments'
    | 'authentication_failed'
    | 'rate_limited'
    | 'resource_not_found'
    | 'execution_timeout'
    | 'network_error'
    | 'permission_denied'
    | 'cancelled'
    | 'outcome_unknown'
    | 'unknown';
  message: string;
  details: Record<string, unknown>;
};

/** Calls for the client's output, and calls for a person's approval; `expires_at` is when the first expires. */
export type RequiredAction = { tool_outputs: ToolCall[]; approvals: ToolCall[]; expires_at: string | null };

/** `until` where it is known: the turn's time, the next try, the end of a rate limit, the expiry of a call. */
export type Waiting = {
  for: 'start_at' | 'turn' | 'client' | 'approval' | 'retry' | 'provider' | 'project_quota' | 'slot';
  since: string;
  until?: string;
  /** What keeps every turn from running, if anything does: no worker runs, or the queue is away. */
  note?: string;
};

export type IncompleteReason = LimitReason | 'max_output_tokens' | 'content_filter' | 'unknown_finish_reason';

export type TurnError = {
  type: 'provider_error' | 'tool_choice_error' | 'output_schema_error' | 'internal_error';
  code: string;
  message: string;
  retryable: boolean;
  provider?: { status: number | null; code: string | null; request_id: string | null };
};

/**
 * Tokens; input includes the tokens that a cache read or wrote, output includes reasoning tokens. `cost_usd` and
 * `cache_savings_usd` are null where a price is not known.
 */
export type Usage = {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
  cache_savings_usd: number | null;
};
