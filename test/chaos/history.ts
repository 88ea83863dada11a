import type { BatchedRequest, ModelCall, ResponseCall } from '../harness/servers/model-recorder.ts';
import type { RecordedCall } from '../harness/servers/tool-recorder.ts';
import type { ReceivedWebhook } from '../harness/servers/webhook-receiver.ts';
import type { FaultKind } from './faults/fault-kinds.ts';
import type { TurnPlan } from './load/turn-plan.ts';

/** All plans, acts, observations and rows of one run. Times are milliseconds since 1970. */
export type History = {
  plans: TurnPlan[];
  faults: FaultRecord[];
  answers: Answer[];
  acks: Ack[];
  /** The events that the followers of each turn saw, by turn id. */
  seen: Map<string, SeenTurn>;
  responses: SeenResponse[];
  gone: GoneTurn[];
  modelCalls: ModelCall[];
  /** The requests to read, follow, cancel or delete a response at the model. */
  responseCalls: ResponseCall[];
  /** All background responses with a committed id, and those that the model still keeps. */
  background: { committed: CommittedResponse[]; keptIds: string[] };
  /**
   * The requests of all batches at the model, all requests that entered a batch at Pawl, the saved rounds of their
   * turns, and the usage that Pawl counted for their models: `rounds` is 1 for a round and 0 for late usage.
   */
  batches: {
    sent: BatchedRequest[];
    requests: EnteredRequest[];
    rounds: { turnId: string; number: number; tokens: number }[];
    usage: { rounds: number; tokens: number; recordedIn: string }[];
  };
  toolCalls: RecordedCall[];
  webhooks: ReceivedWebhook[];
  rows: Rows;
  /** The messages that several clients sent to the same conversations, and the resulting turns. */
  talk: { said: SaidMessage[]; turns: TalkTurn[] };
  /**
   * Turns that were forked, rerun and deleted concurrently, with all their requests and calls, and the ids of the
   * remaining rows.
   */
  forks: { families: Family[]; modelCalls: ModelCall[]; toolCalls: RecordedCall[]; answers: Answer[]; rows: string[] };
  /** Turns of an agent that changed: accepted turns, all turns, the versions in order, and the model's requests. */
  agents: {
    accepted: Pick<AgentTurn, 'id' | 'version'>[];
    turns: AgentTurn[];
    versions: { version: number; instructions: string }[];
    modelCalls: ModelCall[];
  };
  starts: StepStart[];
  /** Processes that ended without a request. */
  ownEnds: { part: string; at: number; lastWords: string }[];
  /**
   * The samples of the run: the latest row after its due time, the longest lease, and the most running turns of the
   * flood.
   */
  latest: { lateMs: number; longestLeaseMs: number; mostFlooding: number };
  /** The delay of the driver itself: a busy machine delays everything. */
  driverLag: { p99: number; max: number };
  /** The time from which the driver hurried pending deliveries. */
  hurriedFrom: number;
};

/** An acknowledged message: its client, its number among the client's messages, and its turn. */
export type SaidMessage = { client: number; number: number; text: string; turnId: string };

/** A turn of the talk: all its messages in order, the number of joined inputs, and how many of these it has sent. */
export type TalkTurn = { id: string; status: string; said: string[]; inputs: number; sent: number };

/**
 * A turn with its forks and reruns, and with the reads after its deletion. `isRemoved`: all its forks were deleted
 * too.
 */
export type Family = {
  number: number;
  origin: string;
  forks: MadeTurn[];
  reads: { path: string; status: number; text: string }[];
  isRemoved: boolean;
};

/** A fork or a rerun, its end, and the turn after it. */
export type MadeTurn = {
  kind: 'fork' | 'rerun';
  id: string;
  conversationId: string;
  afterRound: number | null;
  status: string | null;
  next: { id: string; status: string | null } | null;
};

/** A turn of an agent: its version, and the instructions of its configuration. */
export type AgentTurn = { id: string; status: string; version: number; instructions: string };

/** A fault that was injected. `evidence` is a sentence that shows its effect, or null without an effect. */
export type FaultRecord = {
  number: number;
  kind: FaultKind;
  from: number;
  endedAt: number;
  /** The work that the fault stopped: `all`, one part by name, or `none`. */
  scope: string;
  evidence: string | null;
};

/** One answer of an API to the load. */
export type Answer = { at: number; api: string; route: string; status: number; hasRetryAfter: boolean };

/** A background response: the commit of its id, and its drop, after which its round may be asked again. */
export type CommittedResponse = {
  id: string;
  turnId: string;
  round: number;
  committedAt: number | null;
  droppedAt: number | null;
};

/**
 * A request that entered a batch, and its end. `used`: in the commit that saved its round. `dropped`: its answer had
 * failed or was late. `removed`: before it was sent. `left`: it still exists. `goneIn` is the transaction of its end.
 */
export type EnteredRequest = {
  id: string;
  turnId: string;
  round: number;
  fate: 'used' | 'dropped' | 'removed' | 'left';
  goneIn: string | null;
};

/** One acknowledgement of a turn. */
export type Ack = { at: number; plan: number; turnId: string };

/** A turn as its client saw it: the numbers of its durable events in order, over all connections, and its end. */
export type SeenTurn = { plan: number; numbers: number[]; status: string | null; lastEvent: number | null };

/** The output of a response, as its stream's client put it together and as it was then retrieved. Both are JSON. */
export type SeenResponse = { id: string; seen: string; stored: string };

/** A turn that was deleted or not stored. */
export type GoneTurn = { plan: number; turnId: string };

/** One start of a step, from a worker's log. */
export type StepStart = { at: number; worker: string; turnId: string };

/** The rows at the end, without those of the flood. */
export type Rows = {
  turns: TurnRow[];
  rounds: { turnId: string; number: number; model: string; attempts: number }[];
  calls: CallRow[];
  /** The `round` of an event of a round. */
  events: { turnId: string; number: number; type: string; round: number | null; at: number }[];
  deliveries: DeliveryRow[];
  /** Calls of earlier turns that a turn's input answers. */
  answers: { turnId: string; callId: string }[];
  /** Rows of `work` with an ended or missing turn, including the flood. */
  strayWork: { turnId: string }[];
};

export type TurnRow = {
  id: string;
  plan: number;
  status: string;
  step: string;
  leaseOwner: string | null;
  hasWork: boolean;
  output: string | null;
  errorCode: string | null;
  lastEvent: number;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
};

export type CallRow = {
  turnId: string;
  round: number;
  index: number;
  id: string;
  name: string;
  effect: string;
  mark: string | null;
  /** `success`, an error category, or null while it is open. */
  outcome: string | null;
};

export type DeliveryRow = {
  id: string;
  turnId: string;
  eventId: string;
  status: string;
  attempts: number;
  lastStatusCode: number | null;
};
