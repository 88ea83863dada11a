import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import { set } from '../set.ts';
import type { Run, State, Turn } from '../state.ts';
import { isActive } from './active.ts';

/** Returns whether a lease counts: it names a run and has not expired (R9). */
export function isLeased({ lease }: Turn, guards: Guards): boolean {
  return guards.leaseExpires ? lease === 'live' : lease !== 'none';
}

/** Returns whether the lease names another run (R1), and counts. */
export function isLeasedByAnother({ turn }: State, run: Run, guards: Guards): boolean {
  const isMine = guards.runIdIsUnique ? run.hasLease : turn.lease !== 'none';
  return isLeased(turn, guards) && !isMine;
}

/** Sets `lease_owner`, `lease_until` and `due_at`, always together (R2). */
export function setLease(state: State, run: Run): void {
  if (!isActive(state.turn)) breakPromise(state, 'an ended turn got a lease');
  clearLease(state);
  run.hasLease = true;
  state.turn.lease = 'live';
  state.turn.due = 'far';
}

/**
 * Models `fresh-step.ts`: the commit that makes a step due leases it to the run that continues, before that run
 * begins (R3). No run continues while the turn waits for a client.
 */
export function leaseNextRun(state: State, run: Run, guards: Guards): void {
  const { turn } = state;
  if (turn.step === run.on) {
    if (turn.status === 'requires_action' && !guards.waitingTurnIsNotLeased) turn.lease = 'live';
    return;
  }
  if (!guards.nextRunIsNew) setLease(state, run);
  run.nextRun = guards.continuedStepIsLeased ? 'leased' : 'unleased';
  if (guards.continuedStepIsLeased) set(turn, { lease: 'live', due: 'far' });
}

/** Removes the lease of every run. */
export function clearLease(state: State): void {
  for (const run of state.runs) {
    run.hasLease = false;
    if (run.nextRun === 'leased') run.nextRun = 'unleased';
  }
  state.turn.lease = 'none';
}

/** Models `takeLease` of `lease.ts` (R3). The first lease starts the turn. */
export function takeLease(state: State, run: Run, guards: Guards): boolean {
  const { turn } = state;
  if (!isActive(turn) || !turn.atHead || turn.step !== run.on) return false;
  if (guards.takeChecksLease && isLeased(turn, guards)) return false;
  if (turn.isEarly) return false;
  if (turn.status === 'queued') turn.status = 'in_progress';
  setLease(state, run);
  return true;
}

/** Models `mayRenew` of `lease.ts` (R4): the first heartbeat may acquire, later heartbeats only renew. */
export function mayRenewLease({ turn }: State, run: Run, guards: Guards): boolean {
  if (!isActive(turn)) return false;
  if (guards.renewalChecksStep && turn.step !== run.on) return false;
  if (run.hasLease || !guards.renewalChecksLease) return true;
  return !run.knowsLease && turn.status === 'in_progress' && run.isFresh && !isLeased(turn, guards);
}

/** Models the write of a heartbeat that may renew: the lease and `due_at`. */
export function renewLease(state: State, run: Run, guards: Guards): void {
  setLease(state, run);
  if (!guards.renewalMovesDueAt) state.turn.due = 'never';
  run.knowsLease = true;
}
