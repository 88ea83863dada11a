import type { FaultKind } from './fault-kinds.ts';
import type { TurnPlan } from './load/turn-plan.ts';
import type { ModelCall } from './witness/model-witness.ts';
import type { WebhookSeen } from './witness/receiver.ts';
import type { ToolCallSeen } from './witness/tool-witness.ts';

/** Everything that was planned, done, seen and stored in one run; moments are milliseconds since 1970. */
export type History = {
  plans: TurnPlan[];
  faults: FaultRecord[];
  answers: Answer[];
  acks: Ack[];
  /** What the followers of each turn saw, by turn id. */
  seen: Map<string, SeenTurn>;
  modelCalls: ModelCall[];
  toolCalls: ToolCallSeen[];
  webhooks: WebhookSeen[];
  rows: Rows;
  starts: StepStart[];
  /** Processes that ended by themselves. */
  ownEnds: { part: string; at: number; lastWords: string }[];
  /** Rows that were late beyond what a rescuer may take, as sampled while the run was on. */
  latest: { lateMs: number; longestHoldMs: number };
  /** How late the driver itself was: a machine that is busy with other things makes everything late. */
  driverLag: { p99: number; max: number };
  /** From when on pending deliveries were hurried by the driver. */
  hurriedAt: number;
};

/** A fault that struck. `fired` says what proves it; null where it found nothing to do. */
export type FaultRecord = {
  number: number;
  kind: FaultKind;
  from: number;
  endedAt: number;
  /** Whose work it stopped: all, one part by name, or nobody's. */
  scope: string;
  fired: string | null;
};

/** One answer of an API to the load. */
export type Answer = { at: number; api: string; route: string; status: number; hasRetryAfter: boolean };

/** One acknowledgement of a turn. */
export type Ack = { at: number; plan: number; turnId: string };

/** What a client saw of a turn: the numbers of its durable events in their order, over all connections, and its end. */
export type SeenTurn = { plan: number; numbers: number[]; status: string | null; lastEvent: number | null };

/** One start of a step by a worker, as its log tells. */
export type StepStart = { at: number; worker: string; turnId: string };

/** What the database holds at the end. */
export type Rows = {
  turns: TurnRow[];
  rounds: { turnId: string; number: number; attempts: number }[];
  calls: CallRow[];
  events: { turnId: string; number: number; type: string; at: number }[];
  deliveries: DeliveryRow[];
};

export type TurnRow = {
  id: string;
  plan: number;
  status: string;
  step: string;
  heldBy: string | null;
  output: string | null;
  errorCode: string | null;
  lastEvent: number;
  createdAt: number;
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
