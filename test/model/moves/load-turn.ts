import { breakPromise } from '../break-promise.ts';
import { isActive } from '../checkpoint/active.ts';
import { isLeased } from '../checkpoint/lease.ts';
import { wakeupSeen } from '../checkpoint/wakeup.ts';
import type { Guards } from '../guards/all-guards.ts';
import { goEnqueue, leave, lookAgain } from '../leave.ts';
import type { Setting } from '../setting.ts';
import type { Run, State, Turn } from '../state.ts';
import type { CachedTurn } from '../turn-cache.ts';

/** A turn as it was loaded, and whether its model is rate-limited. */
type Loading = { loaded: CachedTurn; setting: Setting; isLimited?: boolean };

/**
 * Models the start of `work-turn.ts`: decides by the loaded turn (`next-step.ts`), then leaves, enqueues, or runs the
 * step.
 */
export function loadTurn(state: State, run: Run, { loaded, setting, isLimited = false }: Loading): void {
  const { turn } = loaded;
  const { guards } = setting;
  if (!isActive(turn) || !turn.atHead || isWaiting(turn)) leave(run);
  else if (turn.step !== run.on) enqueueOther(run, loaded, guards);
  else if (isLeased(turn, guards) && !run.hasLease) leaveLeased(state, run, guards);
  else if (isPartlyKnown(turn)) lookAgain(run);
  else begin(state, run, { loaded, setting, isLimited });
}

/** Returns whether the whole batch waits for a client. */
function isWaiting(turn: Turn): boolean {
  const { once, other } = ableCalls(turn);
  return turn.step === 'b1' && !once && !other;
}

/**
 * Returns whether a call that was loaded as open is answered. Then claims and saves miss the step, and the job is
 * used up (`goOn`).
 */
function isPartlyKnown({ step, other }: Turn): boolean {
  return step === 'r2' && other === 'able';
}

function enqueueOther(run: Run, loaded: CachedTurn, guards: Guards): void {
  if (guards.dueStepIsEnqueued) goEnqueue(run, wakeupSeen(loaded));
  else leave(run);
}

function leaveLeased({ turn }: State, run: Run, guards: Guards): void {
  if (!guards.leavingJobWritesNothing) turn.due = 'never';
  leave(run);
}

/**
 * Begins with a lease, or without a lease if no other job can exist. A run that continues already has its lease. A
 * round is postponed if its model may not be asked.
 */
function begin(state: State, run: Run, { loaded, setting, isLimited }: Loading): void {
  const { next, facts } = state;
  const { turn, isFresh } = loaded;
  const { guards } = setting;
  run.isFresh = isFresh;
  run.saw = {
    events: guards.eventsAreNumberedUnderLock ? 0 : facts.events,
    waiting: !guards.saveSeesAnswers && turn.other === 'waiting',
    alone: !guards.endSeesNewTurns && next.status !== 'waiting',
  };
  planCalls(run, turn, ableCalls(turn));
  const isOwn = run.hasLease && turn.lease === 'live';
  if (isHandedOver(turn) && guards.handOverEndsTurn) run.at = 'handing-over';
  else if (isLimited && run.on !== 'b1') run.at = 'postponing';
  else if (isOwn || (isUncontended(turn, guards) && run.once !== 'give-up')) beginStep(state, run, setting);
  else run.at = 'wants-lease';
}

/** Returns whether only the caller has calls to answer (R19). Then no round is requested. */
function isHandedOver({ step, other }: Turn): boolean {
  return step === 'r2' && other === 'handed';
}

/** Models `uncontended` of `select.ts`: no other job can exist (R3). */
function isUncontended({ isRaised, lease, status, due }: Turn, guards: Guards): boolean {
  if (isRaised && guards.uncontendedIsFirstGeneration) return false;
  if (status === 'queued' && guards.uncontendedIsStarted) return false;
  return lease === 'none' && (due === 'far' || !guards.uncontendedIsFarFromDue);
}

/** Returns the calls of the batch that a run may answer now. A waiting call is included only after it has expired. */
export function ableCalls({ step, once, other, expired }: Turn): { once: boolean; other: boolean } {
  const isAble = other === 'able' || (other === 'waiting' && expired);
  return { once: step === 'b1' && once === 'none', other: step === 'b1' && isAble };
}

/** Models `plan-calls.ts` for the calls of the run. An existing claim never belongs to the run itself (R1). */
export function planCalls(run: Run, turn: Turn, able: { once: boolean; other: boolean }): void {
  run.knew = able;
  if (able.once) run.once = turn.claimed ? 'give-up' : 'to-claim';
  if (able.other) run.other = turn.other === 'able' ? 'running' : 'refusing';
}

/** Starts the work of the run: asks the model, or begins its calls. */
export function beginStep(state: State, run: Run, { scene: { maxRequests }, guards }: Setting): void {
  if (run.on === 'b1') beginCalls(state, run, guards);
  else run.at = 'asking';
  if (run.on !== 'b1' && isHandedOver(state.turn))
    breakPromise(state, 'the model was asked about a call that the caller answers');
  if (maxRequests === undefined || run.on === 'b1') return;
  state.facts.requests += 1;
  if (state.facts.requests > maxRequests) breakPromise(state, 'the model was asked too often for a round');
}

/** Begins the calls. It claims an `at_most_once` call before it makes any call of the batch. */
export function beginCalls(state: State, run: Run, guards: Guards): void {
  run.at = run.once === 'to-claim' ? 'claiming' : 'calling';
  if (run.at === 'calling' && run.other === 'running') sendKey(state, guards);
}

/** Sends the `Idempotency-Key` of a call. It is made of stored values, so it is the same for every run. */
function sendKey(state: State, guards: Guards): void {
  const { facts } = state;
  const key = guards.keyIsStored || facts.key === 'none' ? 'call' : 'run';
  if (facts.key !== 'none' && key !== facts.key) breakPromise(state, 'a call was sent under two keys');
  facts.key = key;
}
