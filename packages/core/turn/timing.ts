/** The times the protocol rests on; all counted by the database's clock (docs/architecture.md, rules R2–R4). */
export const timing = {
  /** A worker tells which steps it still works on this often. */
  heartbeatMs: 1_000,
  /** A hold lapses this long after its last heartbeat. Shorter than BullMQ's lock (R11). */
  leaseMs: 6_000,
  /** How long a committed debt may wait for its job before the rescuer rings again. */
  graceMs: 5_000,
  /** The longest pause between two rescues of the same row. */
  longestGraceMs: 60_000,
  /** How often each worker looks for late rows. */
  rescueEveryMs: 1_000,
  /** How often a worker says that it is alive. */
  workerSeenMs: 3_000,
  /** A worker that has not said so for this long counts as gone. */
  workerGoneMs: 10_000,
};

/** Runs of one step that may end unheard (crash, kill) before the turn is given up as poison. */
export const MAX_SILENT_STARTS = 10;

/** Tries of one model call, but for those that a rate limit refused (contract: model calls). */
export const MAX_MODEL_ATTEMPTS = 5;

/** The longest pause that a provider may ask for; then it is asked again, with one request. Milliseconds. */
export const LONGEST_PAUSE_MS = 60_000;

/** How long a turn may wait for rate limits in all, milliseconds. */
export const MAX_PARKED_MS = 600_000;
