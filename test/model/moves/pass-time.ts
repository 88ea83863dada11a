import { isActive } from '../checkpoint/active.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Scene } from '../scene.ts';
import { set } from '../set.ts';
import type { Emit, Setting } from '../setting.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { expireCached } from '../turn-cache.ts';
import { isTracked, willBeat } from './beat.ts';

/**
 * Emits the moves of the database's clock. A worker that is not dead or asleep keeps its leases, and takes its next
 * small step before a near time is late. Every other move may take any time. A waiting job beside a free worker is a
 * fault (`backlog`).
 */
export function passTime(state: State, setting: Setting, emit: Emit): void {
  const { turn } = state;
  const { scene, guards } = setting;
  passLease(state, { scene, guards, emit });
  passDue(state, guards, emit);
  if (turn.isEarly) emit('the pause is over', (after) => set(after.turn, { isEarly: false }));
  if (turn.expires && !turn.expired && turn.step === 'b1' && turn.other === 'waiting') {
    emit('the waiting call expires', expire);
  }
  passDelivery(state, 'failed', emit);
  passDelivery(state, 'ended', emit);
  passNext(state, emit);
}

type Clocked = { scene: Scene; guards: Guards; emit: Emit };

/** Expires a lease when its turn is late: `lease_until` and `due_at` are one value. */
function passLease(state: State, { scene, guards, emit }: Clocked): void {
  const isKept = state.runs.some((run) => run.hasLease && (isTracked(run) || isAboutToMove(run)));
  if (state.turn.lease !== 'live' || isKept) return;
  const expireLease = (after: State) => {
    set(after.turn, { lease: 'expired', due: after.turn.due === 'never' ? 'never' : 'late' });
    expireCached(after, guards);
  };
  emit('the lease expires', expireLease, scene.prompt && isJobWaiting(state) ? 'backlog' : undefined);
}

function passDue(state: State, guards: Guards, emit: Emit): void {
  const { turn, runs, api } = state;
  if (!isActive(turn) || turn.lease === 'live') return;
  const approach = (after: State) => {
    after.turn.due = 'near';
    expireCached(after, guards);
  };
  if (turn.due === 'far') emit('the turn is nearly late', approach);
  if (turn.due !== 'near' || turn.isEarly || api.turn !== 'none') return;
  if (runs.some((run) => willBeat(state, run, guards) || isAboutToMove(run))) return;
  emit('the turn is late', (after) => set(after.turn, { due: 'late' }), isJobWaiting(state) ? 'backlog' : undefined);
}

function isAboutToMove({ at, isAsleep }: Run): boolean {
  return !isAsleep && (at === 'wants-lease' || at === 'continuing' || at === 'reloading' || at === 'enqueuing');
}

function expire({ turn }: State): void {
  turn.expired = true;
  if (turn.due === 'expiry') turn.due = 'late';
}

function passDelivery(state: State, name: 'failed' | 'ended', emit: Emit): void {
  const isKept = state.runs.some((run) => run.at === 'posting' && run.on === name && !run.isAsleep);
  if (state.deliveries[name].row !== 'leased' || isKept) return;
  emit(`the lease on turn.${name} expires`, (after) => set(after.deliveries[name], { row: 'due' }));
}

function passNext(state: State, emit: Emit): void {
  const { due, job } = state.next;
  if (due !== 'far' || isEnqueuing(state, (wakeups) => wakeups.next)) return;
  const late = (after: State) => set(after.next, { due: 'late' });
  emit('the next turn is late', late, job === 'waiting' && isAnyFree(state) ? 'backlog' : undefined);
}

function isEnqueuing({ api, runs }: State, has: (wakeups: Wakeups) => boolean): boolean {
  return has(api) || runs.some((run) => !run.isAsleep && has(run.wakeups));
}

/** Returns whether a job for the turn waits although a worker is free. */
function isJobWaiting(state: State): boolean {
  const { queue, turn } = state;
  return (queue.now === 'waiting' || queue[turn.step]) && isAnyFree(state);
}

function isAnyFree({ runs }: State): boolean {
  return runs.some((run) => run.at === 'idle');
}
