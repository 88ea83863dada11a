import type { Db } from '#core/checkpoint/database.ts';
import { type Beat, type Beaten, renewHolds } from '#core/checkpoint/renew-holds.ts';
import { timing } from '#core/turn/timing.ts';
import type { Log } from '../log.ts';
import type { Run, StopReason } from './run.ts';

/** The steps this worker has on hand. */
export type Heartbeat = {
  /** Vouches for a run until disposed, `limitMs` at the longest: a run that hangs for ever is not beaten for (R4). */
  vouchFor(run: Run, options: { held: boolean; limitMs: number }): Disposable;
  /** Renews the holds that want renewing, or all of them; a run that has lost its step is stopped. */
  beat(which?: 'all'): Promise<void>;
  /** Stops the runs of one turn, or of all. */
  stop(reason: StopReason, turnId?: string): void;
  count(): number;
};

type Vouched = { run: Run; held: boolean; renewedAt: number; until: number };

/** Beats for all runs in one statement: each beat acquires, but renews only every third of a lease (R4). */
export function makeHeartbeat(db: Db, log: Log): Heartbeat {
  const vouched = new Map<string, Vouched>();
  let isShutDown = false;

  return {
    vouchFor: (run, { held, limitMs }) => {
      if (isShutDown) run.stop('shutdown');
      const now = performance.now();
      vouched.set(run.id, { run, held, renewedAt: now, until: now + limitMs });
      return { [Symbol.dispose]: () => void vouched.delete(run.id) };
    },
    beat: async (which) => {
      const due = [...vouched.values()].filter((entry) => wantsBeat(entry, which === 'all'));
      if (due.length === 0) return;
      const sentAt = performance.now();
      const beaten = await renewHolds(db, due.map(beatOf));
      for (const entry of due) settle(entry, { beaten: beaten.get(entry.run.id), sentAt, vouched, log });
    },
    stop: (reason, turnId) => {
      isShutDown ||= reason === 'shutdown';
      for (const { run } of vouched.values()) if (turnId === undefined || run.turn.id === turnId) run.stop(reason);
    },
    count: () => vouched.size,
  };
}

/** A run that is told to stop for a deploy still has its last words to write, and needs its hold for them. */
function wantsBeat({ held, renewedAt, until, run }: Vouched, always: boolean): boolean {
  const now = performance.now();
  if (now > until || (run.signal.aborted && run.signal.reason !== 'shutdown')) return false;
  return always || !held || now - renewedAt > timing.leaseMs / 3;
}

function beatOf({ run, held }: Vouched): Beat {
  return { turnId: run.turn.id, step: run.step, ring: run.turn.work.ring, runId: run.id, isFirst: !held };
}

type Settling = { beaten: Beaten | undefined; sentAt: number; vouched: Map<string, Vouched>; log: Log };

function settle(entry: Vouched, { beaten, sentAt, vouched, log }: Settling): void {
  const { run } = entry;
  if (beaten === 'busy' || !vouched.has(run.id)) return;
  if (beaten === 'held') {
    entry.held = true;
    entry.renewedAt = sentAt;
    return;
  }
  log.warn({ turn_id: run.turn.id, step: run.step }, 'step lost to another worker or to the end of its turn');
  run.stop('lost');
}
