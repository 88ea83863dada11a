import type { FaultKind } from '../faults/fault-kinds.ts';

/**
 * The purpose of a turn. `ask`: a call waits for the client. `second`: posted after another turn of its conversation.
 * `response`: the first of a chain of responses, which hands a call over.
 */
export type Shape = 'plain' | 'ask' | 'cancel' | 'limited' | 'second' | 'response';

/** A fault of a turn: a failure of its model, or a tool that kills workers. */
export type Trouble = Extract<FaultKind, `provider-${string}` | 'poison-turn'>;

/** One turn of the load. Its plan is complete before the first turn is posted. */
export type TurnPlan = {
  number: number;
  /** The time at which it is posted, in milliseconds from the start of the load. */
  atMs: number;
  shape: Shape;
  trouble: Trouble | null;
  /** The number of the fault that the trouble belongs to. */
  faultedBy: number | null;
  followBy: 'stream' | 'poll';
  hasWebhook: boolean;
  request: Record<string, unknown>;
  /** The allowed ends, with their output. */
  endings: string[];
  output: string;
  /** The milliseconds that its model and its tools take. */
  scriptedMs: number;
  /** For `cancel`: the time after its acknowledgement. */
  cancelAfterMs: number;
};

/** The URLs of a load's tools and webhook receiver. */
export type LoadUrls = { toolUrl: string; hookUrl: string };
