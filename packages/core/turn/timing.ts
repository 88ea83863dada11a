/** The times of the protocol, all by the database's clock (docs/architecture.md, rules R2–R4). */
export const timing = {
  /** The interval at which a worker renews the leases of its steps. */
  heartbeatMs: 1_000,
  /** A lease ends this long after its last heartbeat. Shorter than BullMQ's lock (R11). */
  leaseMs: 6_000,
  /** The time that a due step may wait for its job before a rescue enqueues it again. */
  graceMs: 5_000,
  /** The longest pause between two rescues of the same row. */
  longestGraceMs: 60_000,
  /** The interval at which each worker looks for late rows. */
  rescueEveryMs: 1_000,
  /** The interval at which each worker looks for turns that may get a slot. */
  admitEveryMs: 250,
  /** The interval at which each worker looks for other deliveries: retries, and deliveries of other processes. */
  deliverEveryMs: 250,
  /** The interval at which each worker looks for delayed turns that are due. */
  delayedEveryMs: 250,
  /** The interval at which each worker looks for schedules that are due. */
  fireEveryMs: 250,
  /** The interval at which a worker reports that it is alive. */
  workerSeenMs: 3_000,
  /** A worker counts as stopped this long after its last report. */
  workerGoneMs: 10_000,
  /** The interval at which each worker looks for turns without search entries. */
  enterEveryMs: 5_000,
  /** A turn that is active for this long is entered before its end. So nearly all turns are entered once. */
  enterActiveMs: 30_000,
  /** The interval at which each worker looks for turns to erase, and between two looks at an unstored turn. */
  eraseEveryMs: 10_000,
  /** An unstored turn is kept for this long after its end, for the client that waits for its answer. */
  keepUnstoredMs: 20_000,
  /** Usage records keep their exact time for this long. Then they are summed by quarter of an hour. */
  keepRecordsMs: 300_000,
  /** Usage sums of a quarter of an hour are kept for this long. Then they are summed by UTC day. */
  keepQuartersMs: 35 * 86_400_000,
  /** The interval at which each worker looks for usage to sum. */
  rollUpEveryMs: 60_000,
  /** The interval at which each worker looks for responses at providers that no round waits for. */
  closeEveryMs: 2_000,
  /** The interval at which each worker looks for batches to send, read or delete, and for rounds to collect. */
  batchEveryMs: 1_000,
  /** The interval at which each worker looks for due bulks. */
  bulkEveryMs: 250,
  /** The time for which a worker has a bulk to itself. Each batch of the bulk takes much less. */
  bulkLeaseMs: 10_000,
};

/** The maximum runs of a step that end without a report, by a crash or kill. Then the turn fails as poison. */
export const MAX_SILENT_STARTS = 10;

/** Attempts of one model call by default, not counting those that a rate limit refused. */
export const MAX_MODEL_ATTEMPTS = 5;

/** The longest pause that a provider may request, in milliseconds. Then one request probes the provider. */
export const LONGEST_PAUSE_MS = 60_000;

/** The total time that a turn may wait for rate limits, in milliseconds. */
export const MAX_RATE_LIMIT_WAIT_MS = 600_000;
