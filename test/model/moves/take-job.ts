import type { Actor } from '../actor.ts';
import { takeDelivery } from '../checkpoint/delivery.ts';
import { promoteReopened } from '../checkpoint/end.ts';
import { wakeupNow } from '../checkpoint/wakeup.ts';
import type { Guards } from '../guards/all-guards.ts';
import { goEnqueue, leave } from '../leave.ts';
import { set } from '../set.ts';
import type { Setting } from '../setting.ts';
import type { Delivery, Run, State, Step } from '../state.ts';
import { type CachedTurn, readTurn, takeCached } from '../turn-cache.ts';
import { loadTurn } from './load-turn.ts';

/** Takes a waiting job or a due delivery, for a free worker. */
export function takeJob(actor: Actor): void {
  const { state, run, guards, setting, may } = actor;
  const { queue, turn, deliveries, next } = state;
  if (run.at !== 'idle') return;
  if (queue.now === 'waiting' && mayBeHandedOut(state, setting)) {
    const job = { verb: `takes the job of ${turn.step}`, step: turn.step, isRaised: turn.isRaised };
    viewTurn(actor, job, (taker, after, { load, isLimited }) => {
      after.queue.now = 'none';
      set(taker, { on: turn.step, job: 'now', jobOn: turn.step });
      loadTurn(after, taker, { loaded: load(after, taker, setting), setting, isLimited });
    });
  }
  for (const step of ['r1', 'b1', 'r2', 'r3'] as const) {
    if (!queue[step] || !mayBeHandedOut(state, setting)) continue;
    const job = { verb: `takes an older job of ${step}`, step, isRaised: false };
    viewTurn(actor, job, (taker, after, { load, isLimited }) => {
      after.queue[step] = false;
      set(taker, { on: step, job: 'old', jobOn: step });
      loadTurn(after, taker, { loaded: load(after, taker, setting), setting, isLimited });
    });
  }
  for (const name of ['failed', 'ended'] as const) {
    if (!isFound(deliveries[name], guards)) continue;
    may(`takes the delivery of turn.${name}`, (taker, after) => {
      if (takeDelivery(after, taker, { name, guards })) set(taker, { at: 'posting', on: name });
    });
  }
  if (next.job === 'waiting') may('runs the next turn', (taker, after) => workNext(after, taker, guards));
}

/** Models `take-deliveries.ts`, which finds due deliveries. A leased delivery is due after its lease ends (R16). */
function isFound({ row }: Delivery, { deliveryIsDue, deliveryChecksLease }: Guards): boolean {
  return (row === 'due' && deliveryIsDue) || (row === 'leased' && !deliveryChecksLease);
}

type View = { load(state: State, run: Run, setting: Setting): CachedTurn; isLimited: boolean };

/**
 * Loads the turn at the start of a job or a continuing run: as it is or, for the first generation of a step, from the
 * cache of its worker. Its model may be rate-limited (`postponeRound`).
 */
export function viewTurn(
  { run, guards, may }: Actor,
  { verb, step, isRaised }: { verb: string; step: Step; isRaised: boolean },
  change: (run: Run, after: State, look: View) => void,
): void {
  const begin = (load: View['load'], isLimited: boolean) => (mine: Run, after: State) =>
    change(mine, after, { load, isLimited });
  may(verb, begin(readTurn, false));
  if (step !== 'b1') may(`${verb}, whose model is rate-limited`, begin(readTurn, true), 'later');
  if (run.cached === 'none' || (isRaised && guards.cacheChecksGeneration)) return;
  may(`${verb}, from its cache`, begin(takeCached, false));
  if (step !== 'b1') may(`${verb}, from its cache, whose model is rate-limited`, begin(takeCached, true), 'later');
}

/**
 * Returns whether the queue may hand the job out. Without a rescuer the queue keeps time: BullMQ's lock outlives a
 * lease (R11), and delays are kept.
 */
function mayBeHandedOut({ turn, runs }: State, { scene, guards }: Setting): boolean {
  if (!scene.rescuerOff) return true;
  const isOrphaned = turn.lease === 'live' && !runs.some((run) => run.hasLease || run.nextRun === 'leased');
  return !(isOrphaned && guards.jobLockOutlivesLease) && !turn.isEarly;
}

/** Runs the next turn in one move, since its protocol is the same. */
function workNext(state: State, run: Run, guards: Guards): void {
  const { next } = state;
  next.job = 'none';
  if (next.status !== 'head') return;
  set(next, { status: 'done', due: 'never' });
  if (promoteReopened(state, guards)) goEnqueue(run, wakeupNow(state));
  else leave(run);
}
