import type { Db } from '#core/checkpoint/tables.ts';
import { type LeaseRenewal, type RenewalOutcome, renewLeases } from '#core/checkpoint/turns/lease.ts';
import type { WorkerStep } from '#core/checkpoint/workers.ts';
import { timing } from '#core/turn/timing.ts';
import type { Log } from '../../process/log.ts';
import type { LeavePlace } from '../batch/slow-batches.ts';
import type { Lease, StopReason } from './run.ts';

/** The steps that this worker is on. */
export type Heartbeat = {
  /**
   * Keeps the lease of a run until disposed, `limitMs` at the longest: a run that hangs for ever loses it (R4). A run that lasts
   * longer than a beat leaves its place, where it may, once it has the lease.
   */
  track(lease: Lease, options: Tracking): Disposable;
  /** Renews the leases that need it, or all of them; a run that has lost its step is stopped. */
  beat(which?: 'all'): Promise<void>;
  /** Takes the lease of a run that has started without one now; where it cannot, the next beat says why. */
  take(lease: Lease): Promise<void>;
  /** Stops the runs of one turn, or of all. */
  stop(reason: StopReason, turnId?: string): void;
  count(): number;
  /** The steps that it is on now, those first that it has been on for longest. */
  steps(): WorkerStep[];
};

/** `wasLeased`: the lease was given by a commit before, and some time of it is over: the next beat renews it. */
type Tracking = { limitMs: number; leavePlace?: LeavePlace | undefined; wasLeased?: boolean };

/** `startedAt` is in milliseconds since 1970, the others are by `performance.now()`. */
type TrackedRun = {
  lease: Lease;
  leavePlace: LeavePlace | undefined;
  renewedAt: number;
  until: number;
  startedAt: number;
};

/** A worker says of as many steps that it is on them. */
const MOST_STEPS = 200;

/** Beats for all runs in one statement: each beat acquires, but renews only every third of a lease (R4). */
export function makeHeartbeat(db: Db, log: Log): Heartbeat {
  const tracked = new Map<string, TrackedRun>();
  let isShutDown = false;

  async function renew(entries: TrackedRun[], onMissing: 'stop' | 'ignore'): Promise<void> {
    const sentAt = performance.now();
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
    track: (lease, { limitMs, leavePlace, wasLeased = false }) => {
      if (isShutDown) lease.stop('shutdown');
      const now = performance.now();
      const renewedAt = wasLeased ? Number.NEGATIVE_INFINITY : now;
      tracked.set(lease.id, { lease, leavePlace, renewedAt, until: now + limitMs, startedAt: Date.now() });
      return { [Symbol.dispose]: () => void tracked.delete(lease.id) };
    },
    beat: async (which) => {
      const due = [...tracked.values()].filter((entry) => needsBeat(entry, which === 'all'));
      if (due.length > 0) await renew(due, 'stop');
      for (const entry of tracked.values()) if (mayLeave(entry) && entry.leavePlace?.()) entry.leavePlace = undefined;
    },
    take: async ({ id }) => {
      const entry = tracked.get(id);
      if (entry && !isTaken(entry) && needsBeat(entry, true)) await renew([entry], 'ignore');
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
  return lease.edition !== null;
}

/** A run that is stopped for a deploy still has its final writes to make, and needs its lease for them. */
function needsBeat(entry: TrackedRun, always: boolean): boolean {
  const { renewedAt, until, lease } = entry;
  const now = performance.now();
  if (now > until || (lease.signal.aborted && lease.signal.reason !== 'shutdown')) return false;
  return always || !isTaken(entry) || now - renewedAt > timing.leaseMs / 3;
}

/** Only under a lease that the database still has is its job not needed (decision 41). */
function mayLeave(entry: TrackedRun): boolean {
  const { lease, renewedAt, startedAt } = entry;
  const isSlow = Date.now() - startedAt >= timing.heartbeatMs;
  return isSlow && isTaken(entry) && !lease.signal.aborted && performance.now() - renewedAt < timing.leaseMs / 2;
}

function renewalOf(entry: TrackedRun): Omit<LeaseRenewal, 'counts'> {
  const { id: runId, turnId, step, generation } = entry.lease;
  return { turnId, step, generation, runId, isFirst: !isTaken(entry) };
}

function stepOf({ lease, startedAt }: TrackedRun): WorkerStep {
  return { turnId: lease.turnId, step: lease.step, since: new Date(startedAt).toISOString() };
}

type Settling = { outcome: RenewalOutcome | undefined; sentAt: number; tracked: Map<string, TrackedRun>; log: Log };

function settle(entry: TrackedRun, { outcome, sentAt, tracked, log }: Settling): void {
  const { lease } = entry;
  if (outcome === 'busy' || !tracked.has(lease.id)) return;
  if (outcome) {
    if (!isTaken(entry)) lease.take(outcome.edition);
    entry.renewedAt = sentAt;
    return;
  }
  const about = { event: 'step.lost', turn_id: lease.turnId, step: lease.step };
  log.warn(about, 'step lost to another worker or to the end of its turn');
  lease.stop('lost');
}
