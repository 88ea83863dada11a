/** The answer of a release to a GET, without the project's key. */
export type Reading = { path: string; status: number; body: unknown };

/** A GET that a release refuses. */
export type Refusal = Pick<Reading, 'path' | 'status'>;

/** The record of a release beside its dump: its answers before it stopped, and the ends of all turns afterwards. */
export type Recorded = {
  dumpedAt: string;
  /** Idempotency keys that the release sent with the calls of a scene. */
  keys: Record<string, string[]>;
  /** Answers that stay the same after the upgrade. */
  lasting: Reading[];
  /** Answers that change as soon as a worker of any version works. */
  passing: Reading[];
  /** Reads of deleted turns, which stay refused. */
  refused: Refusal[];
  outcome: Outcome;
};

/** The end of a turn, without ids and times. */
export type End = {
  status: string;
  output: string | null;
  reason: string | null;
  rounds: { text: string | null; results: string[] }[];
  events: string[];
};

/** The effects of an upgrade: the ends of all turns by scene, and each request that the servers received. */
export type Outcome = {
  ends: Record<string, End[]>;
  /** The rounds that the model was asked for, by scene. */
  asked: Record<string, string[]>;
  calls: string[];
  webhooks: string[];
  bulks: unknown[];
  turns: number;
};
