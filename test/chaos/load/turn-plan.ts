import type { FaultKind } from '../faults/fault-kinds.ts';

/**
 * The purpose of a turn. `ask`: a call waits for the client. `second`: posted behind another turn of its conversation.
 * `response`: the first of a chain of responses, which hands a call over.
 */
export type Shape = 'plain' | 'ask' | 'cancel' | 'limited' | 'second' | 'response';

/** A fault that comes with a turn: what its model does, or a tool that kills workers. */
export type Trouble = Extract<FaultKind, `provider-${string}` | 'poison-turn'>;

/** One turn of the load, all of it known before the first is posted. */
export type TurnPlan = {
  number: number;
  /** When it is posted, milliseconds from the start of the load. */
  atMs: number;
  shape: Shape;
  trouble: Trouble | null;
  /** The number of the fault that the trouble belongs to. */
  faultedBy: number | null;
  followBy: 'stream' | 'poll';
  hasWebhook: boolean;
  request: Record<string, unknown>;
  /** How it may end, and its output then. */
  endings: string[];
  output: string;
  /** Milliseconds that its model and its tools take by themselves. */
  scriptedMs: number;
  /** For `cancel`: how long after its acknowledgement. */
  cancelAfterMs: number;
};

/** Where the tools of a load and the receiver of its webhooks are. */
export type LoadUrls = { toolUrl: string; hookUrl: string };
