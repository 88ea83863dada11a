import type { Guards } from './guards.ts';
import type { Setting } from './setting.ts';
import type { Left, Run, State, Turn } from './state.ts';

/** A turn as a job finds it. `isFresh`: its step and ring number are still the row's. */
export type Sight = { turn: Turn; isFresh: boolean };

/** The turn as it stands now; whoever reads it keeps nothing else of it (`turn-memory.ts`). */
export function readTurn(state: State, run: Run): Sight {
  run.left = 'none';
  return { turn: state.turn, isFresh: true };
}

/** The turn as the worker's own commit left it, whatever became of it since (R3); it serves once. */
export function takeLeft(state: State, run: Run, { scene }: Setting): Sight {
  const turn = { ...LEFT, ...callsOf(run.left, scene.calls) };
  run.left = 'none';
  return { turn, isFresh: state.turn.step === turn.step && !state.turn.rung };
}

/** `keep`: a commit of the worker, whose answer it has heard, made another step owed. */
export function keepLeft(run: Run, left: Left, { scene, guards }: Setting): void {
  const isWaitedFor = scene.calls === 'client' || scene.calls === 'approval';
  if (isWaitedFor && (left !== 'b1' || guards.leftWaitsForNobody)) return;
  if (left === 'r2-open' && guards.leftIsWhole) return;
  run.left = left;
}

/**
 * What was left is believed for less time than it takes a turn to be nearly late. Who sleeps forgets nothing: its clock
 * may stand still, and it may have heard of its commit only when it woke.
 */
export function forgetLeft({ runs }: State, guards: Guards): void {
  if (!guards.leftHasTime) return;
  for (const run of runs) if (!run.isAsleep) run.left = 'none';
}

/** Quiet, by nobody held, rung once: `afterRound` and `afterBatch`. */
const LEFT: Omit<Turn, 'step' | 'once' | 'other' | 'expired'> = {
  ...{ status: 'in_progress', rung: false, hold: 'none', due: 'far', isEarly: false, atHead: true },
  ...{ claimed: false, expires: false },
};

/** A call that waits is there only in a mutant, which no longer knows that it waits, and refuses it as one not asked for. */
function callsOf(left: Left, calls: Setting['scene']['calls']): Pick<Turn, 'step' | 'once' | 'other' | 'expired'> {
  if (left !== 'b1') return { step: 'r2', once: 'ok', other: left === 'r2' ? 'ok' : 'able', expired: false };
  if (calls === 'tools') return { step: 'b1', once: 'none', other: 'able', expired: false };
  const isWaitedFor = calls === 'client' || calls === 'approval';
  return { step: 'b1', once: 'none', other: isWaitedFor ? 'waiting' : 'absent', expired: isWaitedFor };
}
