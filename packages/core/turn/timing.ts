/** The times of the protocol, all by the database's clock (docs/architecture.md, rules R2–R4). */
export const timing = {
  /** A worker renews the leases of its steps this often. */
  heartbeatMs: 1_000,
  /** A lease ends this long after its last heartbeat. Shorter than BullMQ's lock (R11). */
  leaseMs: 6_000,
  /** A due step may wait this long for its job before a rescue enqueues it again. */
  graceMs: 5_000,
  /** The longest pause between two rescues of the same row. */
  longestGraceMs: 60_000,
  /** Each worker looks for late rows this often. */
  rescueEveryMs: 1_000,
  /** Each worker looks this often for turns that may have a place by now. */
  admitEveryMs: 250,
  /** Each worker looks this often for deliveries that no commit has told it of: retries, and those of other processes. */
  deliverEveryMs: 250,
  /** Each worker looks this often for delayed turns whose time has come. */
  delayedEveryMs: 250,
  /** Each worker looks this often for schedules whose planned time has come. */
  fireEveryMs: 250,
  /** A worker says this often that it is alive. */
  workerSeenMs: 3_000,
  /** A worker that has not said so for this long counts as gone. */
  workerGoneMs: 10_000,
  /** Each worker looks this often for turns that the search has not entered. */
  enterEveryMs: 5_000,
  /** A turn that is active for this long is entered before its end: nearly all are entered once. */
  enterActiveMs: 30_000,
  /** Each worker looks this often for turns that can be erased, and as often at each turn that is not stored. */
  eraseEveryMs: 10_000,
  /** A turn that is not stored is kept for this long behind its end, for the client that waits for its answer. */
  keepUnstoredMs: 20_000,
  /** What a commit used is known to the microsecond for this long, and to a quarter of an hour from then on. */
  keepRecordsMs: 300_000,
  /** It is known to a quarter of an hour for this long, a month and some days, and to a UTC day from then on. */
  keepQuartersMs: 35 * 86_400_000,
  /** Each worker looks this often for usage that is older. */
  rollUpEveryMs: 60_000,
  /** Each worker looks this often for bulks that are due. */
  bulkEveryMs: 250,
  /** A bulk is left to the worker that is on it for this long; each portion of it takes much less. */
  bulkLeaseMs: 10_000,
};

/** Runs of one step that may end without a word (crash, kill) before the turn is given up as poison. */
export const MAX_SILENT_STARTS = 10;

/** Tries of one model call by default, without those that a rate limit refused (contract: model calls). */
export const MAX_MODEL_ATTEMPTS = 5;

/** The longest pause that a provider may request, in milliseconds; then one request probes it. */
export const LONGEST_PAUSE_MS = 60_000;

/** The time that a turn may wait for rate limits in all, in milliseconds. */
export const MAX_RATE_LIMIT_WAIT_MS = 600_000;
