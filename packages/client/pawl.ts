import type { CompactMessage, ConversationResource } from './resources/conversation.ts';
import type { EventResource, LiveEvent } from './resources/event.ts';
import type {
  ListedTurnResource,
  InputPart as Part,
  TerminalStatus,
  ToolError,
  TurnResource,
  TurnStatus,
} from './resources/turn.ts';
import type { ConversationRequestBody, TurnRequestBody } from './resources/turn-request.ts';

export type Turn = TurnResource;
/** A turn of a list: without its rounds, which `get` brings. */
export type ListedTurn = ListedTurnResource;
export type EndedTurn = Turn & { status: TerminalStatus };
export type TurnRequest = TurnRequestBody;
/** A text, an image, a file or audio: a part of a user's message, or of a result. */
export type InputPart = Part;
export type Conversation = ConversationResource;
export type ConversationRequest = ConversationRequestBody;
/** What happens to a turn. Events with a `sequence_number` are kept with the turn, the others are only streamed. */
export type TurnEvent = EventResource | LiveEvent;
/** The result of a call that the client runs: any JSON, a list of parts among it, or why there is none. */
export type ToolOutput =
  | { tool_call_id: string; output: unknown }
  | { tool_call_id: string; error: Omit<ToolError, 'details'> & Partial<Pick<ToolError, 'details'>> };

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
export type TurnFilter = ListOptions & { status?: TurnStatus | undefined; conversationId?: string | undefined };

export type Pawl = {
  turns: Turns;
  conversations: Conversations;
  /** Any other route: `pawl.request('GET', '/v1/models')`. A POST is not retried. */
  request<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer>;
};

export type Turns = {
  /** Starts a turn in a new conversation. */
  start(request: TurnRequest, options?: StartOptions): Promise<StartedTurn>;
  get(id: string, options?: CallOptions): Promise<Turn>;
  /** Turns, newest first and without their rounds; pages are read as they are needed. */
  list(filter?: TurnFilter): AsyncGenerator<ListedTurn, void, undefined>;
  /** The handle of a turn that was started elsewhere or before. Sends no request. */
  attach(id: string): TurnHandle;
};

/** All that can be done with one turn. */
export type TurnHandle = {
  id: string;
  get(options?: CallOptions): Promise<Turn>;
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
  approve(callId: string, options?: CallOptions): Promise<Turn>;
  deny(callId: string, reason?: string, options?: CallOptions): Promise<Turn>;
  /** The whole output of one call, uncut. */
  output(
    callId: string,
    options?: CallOptions,
  ): Promise<{ tool_call_id: string; output: string | InputPart[] | null; truncated: boolean }>;
  cancel(options?: CallOptions): Promise<Turn>;
  /** Lets a failed turn go on from its last checkpoint. */
  retry(options?: CallOptions): Promise<Turn>;
};

export type StartedTurn = TurnHandle & { conversationId: string };

export type Conversations = {
  /** Creates a conversation; with `input` it also starts the first turn. */
  create(
    request: ConversationRequest,
    options?: StartOptions,
  ): Promise<ConversationHandle & { turn: StartedTurn | null }>;
  get(id: string, options?: CallOptions): Promise<Conversation>;
  list(options?: ListOptions): AsyncGenerator<Conversation, void, undefined>;
  attach(id: string): ConversationHandle;
};

export type ConversationHandle = {
  id: string;
  get(options?: CallOptions): Promise<Conversation>;
  /** Starts the next turn. */
  start(request: TurnRequest, options?: StartOptions): Promise<StartedTurn>;
  messages(options?: CallOptions): Promise<CompactMessage[]>;
  delete(options?: CallOptions): Promise<void>;
};
