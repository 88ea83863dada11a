import type { Actor } from '../actor.ts';
import { isActive } from '../checkpoint/active.ts';
import { takeLease } from '../checkpoint/lease.ts';
import { wakeupSeen } from '../checkpoint/wakeup.ts';
import type { Guards } from '../guards/all-guards.ts';
import { isDelivery } from '../jobs.ts';
import { goEnqueue, leave, lookAgain } from '../leave.ts';
import { set } from '../set.ts';
import type { Setting } from '../setting.ts';
import type { Run, State } from '../state.ts';
import { type CachedTurn, readTurn } from '../turn-cache.ts';
import { beginStep, loadTurn } from './load-turn.ts';
import { viewTurn } from './take-job.ts';

/** Emits the moves around the work of a run: the lease before it, and the check for due steps after it. */
export function surroundStep(actor: Actor): void {
  const { run, guards, setting, may } = actor;
  if (run.at === 'continuing') continueStep(actor);
  if (run.at === 'wants-lease') {
    may('takes the lease', (mine, after) => leaseAndBegin(after, mine, setting));
    const loseAnswer = (mine: Run, after: State) => {
      takeLease(after, mine, guards);
      leave(mine);
    };
    may('takes the lease, the answer is lost', loseAnswer, 'lostAck');
  }
  if (run.at === 'reloading') {
    may('reads the due steps', (mine, after) => enqueueDue(mine, readTurn(after, mine), guards));
  }
}

/** Continues with the turn that the worker has cached. Otherwise the run reads the turn, as any job does. */
function continueStep(actor: Actor): void {
  const { run, setting } = actor;
  if (isDelivery(run.on)) return;
  viewTurn(actor, { verb: `begins ${run.on}`, step: run.on, isRaised: false }, (mine, after, { load, isLimited }) =>
    loadTurn(after, mine, { loaded: load(after, mine, setting), setting, isLimited }),
  );
}

function leaseAndBegin(state: State, run: Run, setting: Setting): void {
  if (!takeLease(state, run, setting.guards)) {
    lookAgain(run);
    return;
  }
  run.knowsLease = true;
  beginStep(state, run, setting);
}

/** Models `stop-run.ts`: enqueues a step other than the run's own (R11). */
function enqueueDue(run: Run, loaded: CachedTurn, guards: Guards): void {
  const { turn } = loaded;
  const isOtherDue = isActive(turn) && turn.atHead && turn.step !== run.on;
  if (isOtherDue && guards.dueStepIsEnqueued) goEnqueue(run, wakeupSeen(loaded));
  else if (guards.heartbeatEndsWithRun) leave(run);
  else set(run, { at: 'leaking' });
}
