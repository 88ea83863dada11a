import type { ModelCall } from '../harness/servers/model-recorder.ts';
import type { RecordedCall } from '../harness/servers/tool-recorder.ts';
import type { ReceivedWebhook } from '../harness/servers/webhook-receiver.ts';
import type { FaultKind } from './faults/fault-kinds.ts';
import type { TurnPlan } from './load/turn-plan.ts';

/** Everything that was planned, done, seen and stored in one run; times are milliseconds since 1970. */
export type History = {
  plans: TurnPlan[];
  faults: FaultRecord[];
  answers: Answer[];
  acks: Ack[];
  /** What the followers of each turn saw, by turn id. */
  seen: Map<string, SeenTurn>;
  responses: SeenResponse[];
  gone: GoneTurn[];
  modelCalls: ModelCall[];
  toolCalls: RecordedCall[];
  webhooks: ReceivedWebhook[];
  rows: Rows;
  /** What several clients have said to the same conversations, and the turns that came of it. */
  talk: { said: SaidMessage[]; turns: TalkTurn[] };
  /** Turns that were forked, run again and deleted meanwhile, all requests and calls of these, and the ids of the rows that are left. */
  forks: { families: Family[]; modelCalls: ModelCall[]; toolCalls: RecordedCall[]; answers: Answer[]; rows: string[] };
  starts: StepStart[];
  /** Processes that ended by themselves. */
  ownEnds: { part: string; at: number; lastWords: string }[];
  /** The latest row beyond its due time, the longest lease and the most turns of the flood at work, as sampled during the run. */
  latest: { lateMs: number; longestLeaseMs: number; mostFlooding: number };
  /** How late the driver itself was: a machine that is busy with other things makes everything late. */
  driverLag: { p99: number; max: number };
  /** When the driver began to hurry pending deliveries. */
  hurriedFrom: number;
};

/** A message that was acknowledged: by which of the clients, its how-manieth it is, and in which turn it is. */
export type SaidMessage = { client: number; number: number; text: string; turnId: string };

/** A turn of the talk: all that was said to it in order, how many inputs have joined it, and how many of these it has sent. */
export type TalkTurn = { id: string; status: string; said: string[]; inputs: number; sent: number };

/** A turn, what was made of it, and what was read of it once it was deleted. `isRemoved`: so were all of its forks. */
export type Family = {
  number: number;
  origin: string;
  forks: MadeTurn[];
  reads: { path: string; status: number; text: string }[];
  isRemoved: boolean;
};

/** A fork or a rerun, how it ended, and the turn behind it. */
export type MadeTurn = {
  kind: 'fork' | 'rerun';
  id: string;
  conversationId: string;
  afterRound: number | null;
  status: string | null;
  next: { id: string; status: string | null } | null;
};

/** A fault that was injected. `evidence` is a sentence that shows its effect; null where it had none. */
export type FaultRecord = {
  number: number;
  kind: FaultKind;
  from: number;
  endedAt: number;
  /** The work it stopped: `all`, one part by name, or `none`. */
  scope: string;
  evidence: string | null;
};

/** One answer of an API to the load. */
export type Answer = { at: number; api: string; route: string; status: number; hasRetryAfter: boolean };

/** One acknowledgement of a turn. */
export type Ack = { at: number; plan: number; turnId: string };

/** A turn as its client saw it: the numbers of its durable events in order, over all connections, and its end. */
export type SeenTurn = { plan: number; numbers: number[]; status: string | null; lastEvent: number | null };

/** A response as the client of its stream put its output together, and as it was retrieved then; both JSON. */
export type SeenResponse = { id: string; told: string; stored: string };

/** A turn that was deleted or not stored. */
export type GoneTurn = { plan: number; turnId: string };

/** One start of a step, from a worker's log. */
export type StepStart = { at: number; worker: string; turnId: string };

/** The rows at the end, without those of the flood. */
export type Rows = {
  turns: TurnRow[];
  rounds: { turnId: string; number: number; model: string; attempts: number }[];
  calls: CallRow[];
  /** Of an event of a round, the `round`. */
  events: { turnId: string; number: number; type: string; round: number | null; at: number }[];
  deliveries: DeliveryRow[];
  /** Calls of earlier turns that a turn's input answers. */
  answers: { turnId: string; callId: string }[];
  /** Rows of `work` whose turn has ended or is not there, those of the flood too. */
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
  /** Which planned call it is. */
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
