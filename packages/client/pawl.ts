import type * as api from './generated.ts';

/** A turn as the API returns it. */
export type Turn = api.Turn;
type TurnStatus = Turn['status'];
type TerminalStatus = Exclude<TurnStatus, 'queued' | 'in_progress' | 'requires_action'>;
/** A turn of a list: without its rounds, which `get` brings. */
export type ListedTurn = api.ListedTurn;
export type EndedTurn = Turn & { status: TerminalStatus };
export type TurnRequest = api.TurnRequest;
export type ForkRequest = api.ForkRequest;
export type RerunRequest = api.RerunRequest;
/** A text, an image, a file or audio: a part of a user's message, or of a result. */
export type InputPart = api.InputText | api.InputImage | api.InputFile | api.InputAudio;
export type Conversation = api.Conversation;
export type Worker = api.Worker;
export type Statistics = api.Statistics;
/** Times in RFC 3339; without them the last day, in 48 buckets. Another project, or all by `*`, wants an admin key. */
export type StatisticsRange = { from?: string; to?: string; buckets?: number; project?: string };
export type Queue = api.Queue;
export type ConversationRequest = api.ConversationRequest;
export type ConversationChanges = api.ConversationChanges;
/** What happens to a turn. Events with a `sequence_number` are kept with the turn, the others are only streamed. */
export type TurnEvent = api.StreamedEvent;
/** The result of a call that the client runs: any JSON, a list of parts among it, or why there is none. */
export type ToolOutput =
  | { tool_call_id: string; output: unknown }
  | { tool_call_id: string; error: Omit<api.ToolError, 'details'> & Partial<Pick<api.ToolError, 'details'>> };

export type PawlOptions = {
  /** Where the API listens: `http://127.0.0.1:8080` unless given. Without a scheme it is http. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** How long calls are retried while the server is away: 10 s; `events` and `result` for 5 min. */
  patienceMs?: number | undefined;
  fetch?: typeof globalThis.fetch | undefined;
};

/** What every call takes; `signal` ends the call and never the turn. */
export type CallOptions = { signal?: AbortSignal | undefined; patienceMs?: number | undefined };
/** Without a key of yours each call gets one, so that a retry never starts a second turn. */
export type StartOptions = CallOptions & { idempotencyKey?: string | undefined };
/** `after` is the number of your last event; `connected` is called when the server is away, and when it is back. */
export type EventOptions = CallOptions & {
  after?: number | undefined;
  connected?: ((isConnected: boolean) => void) | undefined;
};
/** `limit` is the size of a page, not of the list. */
export type ListOptions = CallOptions & { cursor?: string | undefined; limit?: number | undefined };
/** What is looked for; all that is given has to hold. `q`: each of its words, in any case. Times are RFC 3339. */
export type SearchFilter = ListOptions & {
  model?: string | undefined;
  metadata?: Record<string, string> | undefined;
  q?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};
export type TurnFilter = SearchFilter & {
  status?: TurnStatus | TurnStatus[] | undefined;
  conversationId?: string | undefined;
  errorCode?: string | undefined;
};
/** `maxResultBytes` cuts the text of each result; with `include` the turn tells what it ran with. */
export type ReadOptions = CallOptions & { maxResultBytes?: number | undefined; include?: 'config' | undefined };
/** `arguments` are checked by the tool's schema. */
export type ApproveOptions = CallOptions & {
  arguments?: Record<string, unknown> | undefined;
  reason?: string | undefined;
};
/** `metadata` is told with the event `input.added`. */
export type InputOptions = StartOptions & { metadata?: Record<string, string> | undefined };
/** What a turn ran with. */
export type TurnConfig = NonNullable<Turn['config']>;

export type Pawl = {
  turns: Turns;
  conversations: Conversations;
  bulk: Bulks;
  schedules: Schedules;
  usage: Usage;
  /** What became of the turns of a range of time. */
  statistics(range?: StatisticsRange, options?: CallOptions): Promise<Statistics>;
  /** The workers that are alive. Wants an admin key where there are keys. */
  workers(options?: CallOptions): Promise<Worker[]>;
  /** The queues, and how much waits in each. Wants an admin key where there are keys. */
  queues(options?: CallOptions): Promise<Queue[]>;
  /** Any other route: `pawl.request('GET', '/v1/models')`. A POST is not retried. */
  request<Answer>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
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
  /** Turns, newest first and without their rounds; pages are read as they are needed. */
  list(filter?: TurnFilter): AsyncGenerator<ListedTurn, void, undefined>;
  /** The handle of a turn that was started elsewhere or before. Sends no request. */
  attach(id: string): TurnHandle;
  /** Goes on from a round of a turn, in a new conversation; the turn stays as it is. */
  fork(id: string, request?: ForkRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Says something to a turn while it has not ended. */
  addInput(id: string, input: TurnRequest['input'], options?: InputOptions): Promise<Turn>;
  /** Runs a turn that has ended again, in a new conversation. Equal calls get the recorded results. */
  rerun(id: string, request?: RerunRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Deletes a turn that has ended, and erases its content. */
  delete(id: string, options?: CallOptions): Promise<void>;
};

/** All that can be done with one turn. */
export type TurnHandle = {
  id: string;
  get(options: ReadOptions & { include: 'config' }): Promise<Turn & { config: TurnConfig }>;
  get(options?: ReadOptions): Promise<Turn>;
  /**
   * The turn's events from the first to the one that ends it, whether you start before, during or after. A lost
   * connection is resumed: every durable event comes once and in order. Before a `round.completed` or the end, the
   * round's whole text has come as `output_text.delta`.
   */
  events(options?: EventOptions): AsyncGenerator<TurnEvent, void, undefined>;
  /** The turn as it ends, however it ends. */
  result(options?: CallOptions): Promise<EndedTurn>;
  /** The turn when nothing more happens by itself: it has ended, or `required_action` says what it waits for. */
  settled(options?: CallOptions): Promise<Turn>;
  submitToolOutputs(outputs: ToolOutput[], options?: CallOptions): Promise<Turn>;
  /** Allows a call. With `arguments` it is made with these instead of the model's, which is told of it. */
  approve(callId: string, options?: ApproveOptions): Promise<Turn>;
  deny(callId: string, reason?: string, options?: CallOptions): Promise<Turn>;
  /** The whole output of one call, uncut. */
  output(callId: string, options?: CallOptions): Promise<api.ToolOutput>;
  /** Says something to the turn while it has not ended: its next round has it. Refused with `turn_ended` after that. */
  addInput(input: TurnRequest['input'], options?: InputOptions): Promise<Turn>;
  cancel(options?: CallOptions): Promise<Turn>;
  /** Lets a failed turn go on from its last checkpoint. */
  retry(options?: CallOptions): Promise<Turn>;
  /** Deletes a turn that has ended, and erases its content; later turns of its conversation are sent without it. */
  delete(options?: CallOptions): Promise<void>;
};

export type StartedTurn = TurnHandle & { conversationId: string };

export type Conversations = {
  /** Creates a conversation; with `input` it also starts the first turn. */
  create(
    request: ConversationRequest,
    options?: StartOptions,
  ): Promise<ConversationHandle & { turn: StartedTurn | null }>;
  get(id: string, options?: CallOptions): Promise<Conversation>;
  /** Conversations, newest first; `q` has to fit one of their turns. */
  list(filter?: SearchFilter): AsyncGenerator<Conversation, void, undefined>;
  /** Changes what later turns inherit: each field given replaces the standing one, `null` means its default. */
  update(id: string, changes: ConversationChanges, options?: CallOptions): Promise<Conversation>;
  attach(id: string): ConversationHandle;
};

export type ConversationHandle = {
  id: string;
  get(options?: CallOptions): Promise<Conversation>;
  /** Starts the next turn. */
  start(request: TurnRequest, options?: StartOptions): Promise<StartedTurn>;
  /** Changes what later turns inherit. */
  update(changes: ConversationChanges, options?: CallOptions): Promise<Conversation>;
  messages(options?: CallOptions): Promise<api.CompactMessage[]>;
  delete(options?: CallOptions): Promise<void>;
};

/** The action and the filter of a bulk. */
export type BulkRequest = Omit<api.BulkRequest, 'dry_run'>;
/** One action on many turns: how far it is. */
export type Bulk = api.Bulk;

export type Bulks = {
  /** Cancels, retries or deletes all turns that match now, one by one. Answered at once; `wait` tells what came of it. */
  create(request: BulkRequest, options?: StartOptions): Promise<Bulk>;
  /** Returns the number of turns that match. Changes no turn. */
  count(request: BulkRequest, options?: CallOptions): Promise<number>;
  retrieve(id: string, options?: CallOptions): Promise<Bulk>;
  /** The bulk once each of its turns was treated. */
  wait(id: string, options?: CallOptions): Promise<Bulk>;
};

export type Schedule = api.Schedule;
export type ScheduleRequest = api.ScheduleRequest;
export type ScheduleChange = api.ScheduleChange;

export type Schedules = {
  /** A turn at each planned time, from now on. */
  create(request: ScheduleRequest, options?: StartOptions): Promise<Schedule>;
  get(id: string, options?: CallOptions): Promise<Schedule>;
  /** Schedules, newest first; pages are read as they are needed. */
  list(options?: ListOptions): AsyncGenerator<Schedule, void, undefined>;
  /** Changes, enables or disables one: what is left out stays, and a new plan counts from now. */
  update(id: string, changes: ScheduleChange, options?: CallOptions): Promise<Schedule>;
  /** The turns that it has started stay. */
  delete(id: string, options?: CallOptions): Promise<void>;
};

/** `from` is inclusive, `to` is not: days (`2026-11-20`) or times, in UTC. The last 30 days unless given. */
export type UsageQuery = CallOptions & {
  from?: string | undefined;
  to?: string | undefined;
  groupBy?: readonly ('day' | 'project' | 'model' | 'key')[] | undefined;
};
export type UsageRow = api.Usage;

export type Usage = {
  /** What was used, a row for each group; one row without `groupBy`. */
  get(query?: UsageQuery): Promise<UsageRow[]>;
};
