import type * as api from './generated.ts';

export type Turn = api.Turn;
type TurnStatus = Turn['status'];
type TerminalStatus = Exclude<TurnStatus, 'queued' | 'in_progress' | 'requires_action'>;
/** A turn of a list. It has no rounds, which `get` returns. */
export type ListedTurn = api.ListedTurn;
export type EndedTurn = Turn & { status: TerminalStatus };
export type TurnRequest = api.TurnRequest;
export type ForkRequest = api.ForkRequest;
export type RerunRequest = api.RerunRequest;
/** A text, image, file or audio in a user's message or in a result. */
export type InputPart = api.InputText | api.InputImage | api.InputFile | api.InputAudio;
export type Conversation = api.Conversation;
export type Worker = api.Worker;
export type Statistics = api.Statistics;
/** Times in RFC 3339. The default is the last day, in 48 buckets. `project` (`*` for all) requires an admin key. */
export type StatisticsRange = { from?: string; to?: string; buckets?: number; project?: string };
export type Queue = api.Queue;
/** Rounds that Pawl sends to the batch API of a provider in one request. */
export type Batch = api.Batch;
/** The rounds of a model that are in no batch yet. */
export type WaitingRounds = api.WaitingRounds;
/** A page of batches, newest first, and all rounds that wait for a batch. */
export type BatchPage = { data: Batch[]; waiting: WaitingRounds[]; has_more: boolean; next_cursor: string | null };
export type ConversationRequest = api.ConversationRequest;
export type ConversationChanges = api.ConversationChanges;
/** An event of a turn. Events with a `sequence_number` are stored, other events are only streamed. */
export type TurnEvent = api.StreamedEvent;
/** The result of a call that the client runs: any JSON, including a list of parts, or an error. */
export type ToolOutput =
  | { tool_call_id: string; output: unknown }
  | { tool_call_id: string; error: Omit<api.ToolError, 'details'> & Partial<Pick<api.ToolError, 'details'>> };

export type PawlOptions = {
  /** The URL of the API. The default is `http://127.0.0.1:8080`, and the default scheme is http. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** How long calls are retried while the server is away: by default 10 s, and 5 min for `events` and `result`. */
  patienceMs?: number | undefined;
  fetch?: typeof globalThis.fetch | undefined;
};

/** The options of every call. `signal` ends the call but not the turn. */
export type CallOptions = { signal?: AbortSignal | undefined; patienceMs?: number | undefined };
/** Each call generates a key if you give none, so that a retry never starts a second turn. */
export type StartOptions = CallOptions & { idempotencyKey?: string | undefined };
/** `after` is the number of your last event. `connected` is called when the connection is lost or returns. */
export type EventOptions = CallOptions & {
  after?: number | undefined;
  connected?: ((isConnected: boolean) => void) | undefined;
};
/** `limit` is the size of a page, not of the list. */
export type ListOptions = CallOptions & { cursor?: string | undefined; limit?: number | undefined };
/** The filters of a list, combined with AND. `q` matches if each word occurs, in any case. Times are RFC 3339. */
export type SearchFilter = ListOptions & {
  model?: string | undefined;
  metadata?: Record<string, string> | undefined;
  q?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};
/** `agent` is the name of an agent, alone or with a version: `support@7`. */
export type TurnFilter = SearchFilter & {
  agent?: string | undefined;
  status?: TurnStatus | TurnStatus[] | undefined;
  conversationId?: string | undefined;
  errorCode?: string | undefined;
};
/** `maxResultBytes` cuts the text of each result. `include` adds the configuration of the turn. */
export type ReadOptions = CallOptions & { maxResultBytes?: number | undefined; include?: 'config' | undefined };
/** The schema of the tool checks the `arguments`. */
export type ApproveOptions = CallOptions & {
  arguments?: Record<string, unknown> | undefined;
  reason?: string | undefined;
};
/** The event `input.added` contains the `metadata`. */
export type InputOptions = StartOptions & { metadata?: Record<string, string> | undefined };
export type TurnConfig = NonNullable<Turn['config']>;

export type Pawl = {
  turns: Turns;
  conversations: Conversations;
  bulk: Bulks;
  schedules: Schedules;
  agents: Agents;
  usage: Usage;
  /** Returns the outcomes of turns in a period. */
  statistics(range?: StatisticsRange, options?: CallOptions): Promise<Statistics>;
  /** Returns the live workers. Requires an admin key if the server has keys. */
  workers(options?: CallOptions): Promise<Worker[]>;
  /** Returns the queues and the waiting jobs of each. Requires an admin key if the server has keys. */
  queues(options?: CallOptions): Promise<Queue[]>;
  /** Returns the batches of all projects, by page. Requires an admin key if the server has keys. */
  batches(options?: ListOptions): Promise<BatchPage>;
  /** Requests any other route: `pawl.request('GET', '/v1/models')`. Does not retry a POST. */
  request<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer>;
};

export type Turns = {
  /** Starts a turn in a new conversation. */
  start(request: TurnRequest, options?: StartOptions): Promise<StartedTurn>;
  get(id: string, options: ReadOptions & { include: 'config' }): Promise<Turn & { config: TurnConfig }>;
  get(id: string, options?: ReadOptions): Promise<Turn>;
  /** Yields turns without their rounds, newest first. Requests each page when it is needed. */
  list(filter?: TurnFilter): AsyncGenerator<ListedTurn, void, undefined>;
  /** Returns the handle of a turn by its id. Sends no request. */
  attach(id: string): TurnHandle;
  /** Continues from a round of a turn, in a new conversation. The turn stays unchanged. */
  fork(id: string, request?: ForkRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Adds an input to a turn that has not ended. */
  addInput(id: string, input: TurnRequest['input'], options?: InputOptions): Promise<Turn>;
  /** Runs an ended turn again, in a new conversation. Equal calls get the recorded results. */
  rerun(id: string, request?: RerunRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Deletes an ended turn and erases its content. */
  delete(id: string, options?: CallOptions): Promise<void>;
};

export type TurnHandle = {
  id: string;
  get(options: ReadOptions & { include: 'config' }): Promise<Turn & { config: TurnConfig }>;
  get(options?: ReadOptions): Promise<Turn>;
  /**
   * Yields the turn's events from the first to the last, whether you call before, during or after the turn. After a
   * lost connection it resumes: each durable event is yielded once and in order. Before a `round.completed` or the
   * end, the whole text of the round is yielded as `output_text.delta`.
   */
  events(options?: EventOptions): AsyncGenerator<TurnEvent, void, undefined>;
  /** Resolves to the turn when it ends, with any status. */
  result(options?: CallOptions): Promise<EndedTurn>;
  /** Resolves to the turn when it has ended or waits for a client or a person (`required_action`). */
  settled(options?: CallOptions): Promise<Turn>;
  submitToolOutputs(outputs: ToolOutput[], options?: CallOptions): Promise<Turn>;
  /** Allows a call. `arguments` replace the arguments of the model, and Pawl reports the change to the model. */
  approve(callId: string, options?: ApproveOptions): Promise<Turn>;
  deny(callId: string, reason?: string, options?: CallOptions): Promise<Turn>;
  /** Returns the whole output of one call. */
  output(callId: string, options?: CallOptions): Promise<api.ToolOutput>;
  /** Adds an input to a turn, which its next round reads. Rejected with `turn_ended` if the turn has ended. */
  addInput(input: TurnRequest['input'], options?: InputOptions): Promise<Turn>;
  cancel(options?: CallOptions): Promise<Turn>;
  /** Retries a failed turn from its last checkpoint. */
  retry(options?: CallOptions): Promise<Turn>;
  /** Deletes an ended turn and erases its content. Later turns of its conversation no longer send it to the model. */
  delete(options?: CallOptions): Promise<void>;
};

export type StartedTurn = TurnHandle & { conversationId: string };

export type Conversations = {
  /** Creates a conversation. With `input` it also starts the first turn. */
  create(
    request: ConversationRequest,
    options?: StartOptions,
  ): Promise<ConversationHandle & { turn: StartedTurn | null }>;
  get(id: string, options?: CallOptions): Promise<Conversation>;
  /** Yields conversations, newest first. `q` must match one of their turns. */
  list(filter?: SearchFilter): AsyncGenerator<Conversation, void, undefined>;
  /** Changes the defaults of later turns. Each given field replaces its value, and `null` resets it. */
  update(id: string, changes: ConversationChanges, options?: CallOptions): Promise<Conversation>;
  attach(id: string): ConversationHandle;
};

export type ConversationHandle = {
  id: string;
  get(options?: CallOptions): Promise<Conversation>;
  /** Starts the next turn. */
  start(request: TurnRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Changes the defaults of later turns. */
  update(changes: ConversationChanges, options?: CallOptions): Promise<Conversation>;
  messages(options?: CallOptions): Promise<api.CompactMessage[]>;
  delete(options?: CallOptions): Promise<void>;
};

/** The action and the filter of a bulk. */
export type BulkRequest = Omit<api.BulkRequest, 'dry_run'>;
/** An action on many turns, with its progress. */
export type Bulk = api.Bulk;

export type Bulks = {
  /** Cancels, retries or deletes all turns that match now. Returns at once, and `wait` returns the outcome. */
  create(request: BulkRequest, options?: StartOptions): Promise<Bulk>;
  /** Returns the number of matching turns. Changes no turn. */
  count(request: BulkRequest, options?: CallOptions): Promise<number>;
  retrieve(id: string, options?: CallOptions): Promise<Bulk>;
  /** Resolves to the bulk when all its turns are done. */
  wait(id: string, options?: CallOptions): Promise<Bulk>;
};

export type Schedule = api.Schedule;
export type ScheduleRequest = api.ScheduleRequest;
export type ScheduleChange = api.ScheduleChange;

export type Schedules = {
  /** Creates a schedule, which starts a turn at each planned time from now on. */
  create(request: ScheduleRequest, options?: StartOptions): Promise<Schedule>;
  get(id: string, options?: CallOptions): Promise<Schedule>;
  /** Yields schedules, newest first. Requests each page when it is needed. */
  list(options?: ListOptions): AsyncGenerator<Schedule, void, undefined>;
  /** Changes, enables or disables a schedule. Keeps omitted fields. A new plan counts from now. */
  update(id: string, changes: ScheduleChange, options?: CallOptions): Promise<Schedule>;
  /** Deletes a schedule and keeps its turns. */
  delete(id: string, options?: CallOptions): Promise<void>;
};

/** An agent with one of its versions. */
export type Agent = api.Agent;
export type AgentRequest = api.AgentRequest;
/** The changed fields of the next version. `null` restores a default. `version` is the version of the basis. */
export type AgentChanges = api.AgentChanges;
/** One version, or versions with weights. */
export type AgentLabel = { version: number } | { versions: Record<string, number> };
/** The default version is the current version. */
export type ReadAgentOptions = CallOptions & { version?: number | undefined };

/** Each function takes the id or the name of an agent. */
export type Agents = {
  /** Creates an agent with version 1. Rejected with `agent_exists` if the name is in use. */
  create(request: AgentRequest, options?: StartOptions): Promise<Agent>;
  get(idOrName: string, options?: ReadAgentOptions): Promise<Agent>;
  /** Yields agents with their current versions, newest first. Requests each page when it is needed. */
  list(options?: ListOptions): AsyncGenerator<Agent, void, undefined>;
  /** Creates the next version. Is not retried, since each request creates a version. */
  change(idOrName: string, changes: AgentChanges, options?: CallOptions): Promise<Agent>;
  /** Yields the versions of an agent, newest first. */
  versions(idOrName: string, options?: ListOptions): AsyncGenerator<Agent, void, undefined>;
  /** Sets a label to a version. The next turns with the label get this version. */
  setLabel(idOrName: string, label: string, target: AgentLabel, options?: CallOptions): Promise<Agent>;
  deleteLabel(idOrName: string, label: string, options?: CallOptions): Promise<void>;
  /** Deletes an agent and keeps its turns. */
  delete(idOrName: string, options?: CallOptions): Promise<void>;
};

/** `from` is inclusive, `to` is exclusive: days (`2026-11-20`) or times in UTC. The default is the last 30 days. */
export type UsageQuery = CallOptions & {
  from?: string | undefined;
  to?: string | undefined;
  groupBy?: readonly ('day' | 'project' | 'model' | 'key')[] | undefined;
};
export type UsageRow = api.Usage;

export type Usage = {
  /** Returns a row of usage for each group, or one row without `groupBy`. */
  get(query?: UsageQuery): Promise<UsageRow[]>;
};
