/**
 * Bounds on the slots of a worker that receivers of webhooks use (docs/webhooks.md). A worker has a slot for each of
 * its jobs.
 */
export const DELIVERY_BOUNDS = {
  /**
   * Attempts at once at a receiver that has not answered yet. Each answer allows one more attempt, up to half of the
   * slots.
   */
  firstWindow: 4,
  /** An attempt that lasts longer is slow and leaves its slot to others. */
  slowMs: 500,
  /** Slow attempts for each slot. Further slow attempts keep their slots. */
  slowPerSlot: 4,
  /** Slow attempts at URLs of one host that leave room for other URLs of the host. */
  slowOfHost: 16,
  /** Deliveries of a host that are looked through for a URL that does not hang. */
  lookedThrough: 1_000,
  /** The share of slots and of slow attempts that a project may have beside other projects. */
  projectShare: 0.75,
  /** The part of a project's share for receivers that have not answered their last attempt. */
  doubtfulShare: 0.75,
  /** First attempts at receivers that the worker has not asked yet. They need no slot. */
  firstAttempts: 1_000,
  /** First attempts that begin at once, since a burst must not block the thread. */
  firstAttemptsAtOnce: 64,
  /** Receivers of each kind, answering or not, that a worker remembers, and receivers of a project that SQL gets. */
  rememberedReceivers: 10_000,
  namedReceivers: 1_000,
};
