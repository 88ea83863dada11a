import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#core/checkpoint/tables.ts';
import { type LeaseRenewal, type RenewalOutcome, renewLeases } from '#core/checkpoint/turns/lease.ts';
import type { WorkerStep } from '#core/checkpoint/workers.ts';
import { timing } from '#core/turn/timing.ts';
import type { Log } from '../../process/log.ts';
import type { LeaveSlot } from '../batch/slow-batches.ts';
import type { Lease, StopReason } from './run.ts';
import { elapsedMs, type Stopwatch, startStopwatch } from './stopwatch.ts';

/** The running steps of this worker, and their leases. */
export type Heartbeat = {
  /**
   * Keeps the lease of a run until disposed, `limitMs` at most. So a run that hangs permanently loses its lease (R4).
   * A run with a lease leaves its slot, if its job allows it, after one beat.
   */
  track(lease: Lease, options: Tracking): Disposable;
  /** Renews the leases that need a renewal, or all leases. Stops runs that have lost their steps. */
  beat(which?: 'all'): Promise<void>;
  /** Takes the lease of a run that has started without a lease. If this fails, the next beat finds the reason. */
  take(lease: Lease): Promise<void>;
  /**
   * Renews the lease of a run that may have ended since its last renewal, by either clock. Stops a run that has
   * lost its step.
   */
  confirm(lease: Lease): Promise<void>;
  /** Stops the runs of one turn, or of all turns. */
  stop(reason: StopReason, turnId?: string): void;
  count(): number;
  /** Returns the running steps, the oldest first. */
  steps(): WorkerStep[];
};

/**
 * `leasedAt`: the start of the statement that took the lease, or null if an earlier commit gave the lease. The next
 * beat renews such a lease.
 */
type Tracking = { limitMs: number; leaveSlot?: LeaveSlot | undefined; leasedAt?: Stopwatch | null };

/** `startedAt` is in milliseconds since 1970, and `until` is by `performance.now()`. */
type TrackedRun = {
  lease: Lease;
  leaveSlot: LeaveSlot | undefined;
  renewedAt: Stopwatch;
  until: number;
  startedAt: number;
};

const LONG_AGO: Stopwatch = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };

/** The pause before another renewal, after the row of work was locked. */
const BUSY_PAUSE_MS = 100;

/** The maximum number of steps that a worker reports. */
const MOST_STEPS = 200;

/**
 * Makes the heartbeat, which beats for all runs in one statement. Each beat takes missing leases, but renews a lease
 * only after a third of its time (R4).
 */
export function makeHeartbeat(db: Db, log: Log): Heartbeat {
  const tracked = new Map<string, TrackedRun>();
  let isShutDown = false;

  async function renew(entries: TrackedRun[], onMissing: 'stop' | 'ignore'): Promise<void> {
    const sentAt = startStopwatch();
    const counts = onMissing === 'stop';
    const outcomes = await renewLeases(
      db,
      entries.map((entry) => ({ ...renewalOf(entry), counts })),
    );
    for (const entry of entries) {
      const outcome = outcomes.get(entry.lease.id);
      if (outcome || onMissing === 'stop') settle(entry, { outcome, sentAt, tracked, log });
    }
  }

  return {
    track: (lease, { limitMs, leaveSlot, leasedAt = startStopwatch() }) => {
      if (isShutDown) lease.stop('shutdown');
      const now = performance.now();
      const renewedAt = leasedAt ?? LONG_AGO;
      tracked.set(lease.id, { lease, leaveSlot, renewedAt, until: now + limitMs, startedAt: Date.now() });
      return { [Symbol.dispose]: () => void tracked.delete(lease.id) };
    },
    beat: async (which) => {
      const due = [...tracked.values()].filter((entry) => needsBeat(entry, which === 'all'));
      if (due.length > 0) await renew(due, 'stop');
      for (const entry of tracked.values()) if (mayLeave(entry) && entry.leaveSlot?.()) entry.leaveSlot = undefined;
    },
    take: async ({ id }) => {
      const entry = tracked.get(id);
      if (entry && !isTaken(entry) && needsBeat(entry, true)) await renew([entry], 'ignore');
    },
    confirm: async (lease) => {
      for (let tries = 0; !lease.signal.aborted; tries += 1) {
        const entry = tracked.get(lease.id);
        if (!entry) return lease.stop('lost');
        if (elapsedMs(entry.renewedAt) <= timing.leaseMs / 2) return;
        if (tries > 0) await sleep(BUSY_PAUSE_MS);
        await renew([entry], 'stop');
      }
    },
    stop: (reason, turnId) => {
      isShutDown ||= reason === 'shutdown';
      for (const { lease } of tracked.values()) if (turnId === undefined || lease.turnId === turnId) lease.stop(reason);
    },
    count: () => tracked.size,
    steps: () => [...tracked.values()].slice(0, MOST_STEPS).map(stepOf),
  };
}

function isTaken({ lease }: TrackedRun): boolean {
  return lease.draft !== null;
}

/**
 * Returns whether a run needs a beat. A run that is stopped for a shutdown still needs its lease for its final
 * writes.
 */
function needsBeat(entry: TrackedRun, always: boolean): boolean {
  const { renewedAt, until, lease } = entry;
  const now = performance.now();
  if (now > until || (lease.signal.aborted && lease.signal.reason !== 'shutdown')) return false;
  return always || !isTaken(entry) || elapsedMs(renewedAt) > timing.leaseMs / 3;
}

/**
 * Returns whether a slow run may leave its slot. Its job is unnecessary only while the database still has its lease
 * (decision 41).
 */
function mayLeave(entry: TrackedRun): boolean {
  const { lease, renewedAt, startedAt } = entry;
  const isSlow = Date.now() - startedAt >= timing.heartbeatMs;
  return isSlow && isTaken(entry) && !lease.signal.aborted && elapsedMs(renewedAt) < timing.leaseMs / 2;
}

function renewalOf(entry: TrackedRun): Omit<LeaseRenewal, 'counts'> {
  const { id: runId, turnId, step, generation } = entry.lease;
  return { turnId, step, generation, runId, isFirst: !isTaken(entry) };
}

function stepOf({ lease, startedAt }: TrackedRun): WorkerStep {
  return { turnId: lease.turnId, step: lease.step, since: new Date(startedAt).toISOString() };
}

type Settling = { outcome: RenewalOutcome | undefined; sentAt: Stopwatch; tracked: Map<string, TrackedRun>; log: Log };

function settle(entry: TrackedRun, { outcome, sentAt, tracked, log }: Settling): void {
  const { lease } = entry;
  if (outcome === 'busy' || !tracked.has(lease.id)) return;
  if (outcome) {
    if (!isTaken(entry)) lease.take(outcome.draft);
    entry.renewedAt = sentAt;
    return;
  }
  const about = { event: 'step.lost', turn_id: lease.turnId, step: lease.step };
  log.warn(about, 'step lost to another worker or to the end of its turn');
  lease.stop('lost');
}
