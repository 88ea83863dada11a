import type { FaultKind } from '../fault-kinds.ts';

/** What a turn is made for. `ask`: a call waits for the client. `second`: posted behind another of its conversation. */
export type Shape = 'plain' | 'ask' | 'cancel' | 'limited' | 'second';

/** A trouble that comes with a turn instead of striking the site: what its model does, or a tool that kills workers. */
export type Trouble = Extract<FaultKind, `provider-${string}` | 'poison-turn'>;

/** One turn of the load, all of it known before the first is posted. */
export type TurnPlan = {
  number: number;
  /** When it is posted, milliseconds from the start of the load. */
  atMs: number;
  shape: Shape;
  trouble: Trouble | null;
  /** The strike that the trouble belongs to. */
  struckBy: number | null;
  followBy: 'stream' | 'poll';
  hasWebhook: boolean;
  request: Record<string, unknown>;
  /** How it may end, and what it says then. */
  endings: string[];
  output: string;
  /** Milliseconds that its model and its tools take by themselves. */
  scriptedMs: number;
  /** For `cancel`: how long after its acknowledgement. */
  cancelAfterMs: number;
};

/** Where the tools of a load and the receiver of its webhooks are. */
export type LoadUrls = { toolUrl: string; hookUrl: string };
