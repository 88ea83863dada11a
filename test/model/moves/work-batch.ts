import type { Actor } from '../actor.ts';
import { breakPromise } from '../break-promise.ts';
import { isActive } from '../checkpoint/active.ts';
import { claimCalls } from '../checkpoint/claim-calls.ts';
import { leaseNextRun } from '../checkpoint/lease.ts';
import { saveOnceResult, saveOtherResult } from '../checkpoint/save-results.ts';
import type { Guards } from '../guards/all-guards.ts';
import { goContinue, goEnqueue, lookAgain } from '../leave.ts';
import { set } from '../set.ts';
import type { Setting } from '../setting.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { keepCached } from '../turn-cache.ts';
import { ableCalls, beginCalls, planCalls } from './load-turn.ts';

/** Emits the moves of a run that is at its batch: `run-batch.ts`, `answer-call.ts`, `result-writer.ts`. */
export function workBatch(actor: Actor): void {
  const { at, once, other } = actor.run;
  if (at === 'claiming') claim(actor);
  if (at !== 'calling') return;
  if (once === 'claimed' || once === 'stale') call(actor);
  if (once === 'called') saveKnown(actor);
  if (once === 'give-up') giveUpCall(actor);
  if (other !== 'none') answerOther(actor);
  if (once === 'none' && other === 'none') settle(actor);
}

/** Claims a call. A stopped run starts and claims no further call (R4). */
function claim({ run, guards, may }: Actor): void {
  const mayClaim = run.stop === 'no' || !guards.stoppedRunClaimsNothing;
  may(mayClaim ? 'claims the call' : 'claims nothing', (mine, after) => {
    mine.once = mayClaim && claimCalls(after, mine, guards) ? 'claimed' : 'none';
    beginCalls(after, mine, guards);
  });
  if (run.stop === 'no') may('lacks the tool of the call', (mine, after) => leaveCall(mine, after, guards), 'later');
  if (mayClaim)
    may('claims the call, the answer is lost', (mine, after) => void claimCalls(after, mine, guards), 'lostAck');
}

/** Models `hand-on.ts`: if the worker lacks a call's tool, it does not claim that call, and makes the others. */
function leaveCall(run: Run, after: State, guards: Guards): void {
  run.once = 'none';
  beginCalls(after, run, guards);
}

/** Makes a call. The run reads its clock first: if it slept since the claim, it claims again (R7). */
function call({ run, guards, may }: Actor): void {
  if (run.stop !== 'no') may('leaves the call', (mine) => set(mine, { once: 'none' }));
  else if (run.once === 'stale' && guards.staleClaimIsRenewed) {
    may('claims the call again', (mine, after) =>
      set(mine, { once: claimCalls(after, mine, guards) ? 'claimed' : 'none' }),
    );
  } else may('CALLS', makeCall);
}

function makeCall(run: Run, after: State): void {
  const { turn, facts } = after;
  const isLate = run.once === 'stale' && (!isActive(turn) || turn.once !== 'none');
  if (isLate) breakPromise(after, 'a call was made after it was answered or its turn had ended');
  facts.calls += 1;
  if (facts.calls > 1) breakPromise(after, 'an at_most_once call was made twice');
  set(run, { once: 'called', made: true });
}

/** Saves the result of a call or, if a deploy cut it short, `outcome_unknown`. */
function saveKnown(actor: Actor): void {
  const { run, guards, may } = actor;
  saveResult(actor, 'once', {
    verb: 'saves the result',
    save: (state, by) => saveOnceResult(state, by, { as: 'ok', guards }),
  });
  if (run.stop === 'lost') may('drops the call', (mine) => set(mine, { once: 'none' }));
  if (run.stop === 'shutdown') saveUnknown(actor);
}

/** Gives up a claim that another run left, if this run has the lease (R8). */
function giveUpCall(actor: Actor): void {
  const { guards, may } = actor;
  if (guards.unknownIsSaved) saveUnknown(actor);
  else may('waits for the run that claimed it', (mine) => set(mine, { once: 'none' }));
}

function saveUnknown(actor: Actor): void {
  const { guards } = actor;
  const save: Save = (state, by) => saveOnceResult(state, by, { as: 'unknown', guards });
  saveResult(actor, 'once', { verb: 'saves outcome_unknown', save });
}

function answerOther(actor: Actor): void {
  const { run, guards, may } = actor;
  const as = run.other === 'running' ? 'ok' : 'cancelled';
  const save: Save = (state, by) => saveOtherResult(state, by, { as, guards });
  saveResult(actor, 'other', { verb: 'saves the other result', save });
  if (run.stop !== 'no') may('drops the other call', (mine) => set(mine, { other: 'none' }));
  else if (as === 'ok') may('lacks the tool of the other call', (mine) => set(mine, { other: 'none' }), 'later');
}

type Save = (state: State, run: Run) => Wakeups | null;

/**
 * Saves a result. A save that makes the next step due may lease it to the next run. If the answer is lost, no run
 * continues.
 */
function saveResult(actor: Actor, call: 'once' | 'other', { verb, save }: { verb: string; save: Save }): void {
  const { setting, guards, may } = actor;
  for (const continues of choices(actor)) {
    const write = (run: Run, after: State): boolean => {
      const wakeups = save(after, run);
      if (wakeups && continues) leaseNextRun(after, run, guards);
      return put(run, wakeups);
    };
    const name = continues ? `${verb} and continues` : verb;
    may(name, (run, after) => settleCall(run, { [call]: write(run, after) }, setting));
    const loseAnswer = (run: Run, after: State) => {
      write(run, after);
      run.nextRun = 'none';
    };
    may(`${name}, the answer is lost`, loseAnswer, 'lostAck');
  }
}

/** Returns the choices of a save: to name a next run or not. While another call can be made, it makes no step due. */
function choices({ state: { turn }, scene }: Actor): boolean[] {
  if (turn.once === 'none' && turn.other === 'able') return [false];
  return scene.continues ? [true] : [false, true];
}

/** Keeps the wakeups of the saves, which are enqueued after all calls are settled. Returns whether a save wrote. */
function put(run: Run, wakeups: Wakeups | null): boolean {
  if (wakeups && wakeups.turn !== 'none') run.wakeups = wakeups;
  return wakeups !== null;
}

/**
 * Settles a call after its answer has arrived. A run that wrote all its calls itself knows the row of the turn
 * (`predictAfterBatch`).
 */
function settleCall(run: Run, written: { once?: boolean; other?: boolean }, setting: Setting): void {
  const { knew, wrote } = run;
  run.wrote = { once: written.once ?? wrote.once, other: written.other ?? wrote.other };
  if (written.once !== undefined) run.once = 'none';
  if (written.other !== undefined) run.other = 'none';
  const isOwn = (run.wrote.once || !knew.once) && (run.wrote.other || !knew.other);
  if (run.wakeups.turn === 'r2') keepCached(run, isOwn ? 'r2' : 'r2-open', setting);
  if (run.nextRun !== 'none' && run.once === 'none' && run.other === 'none') goContinue(run, 'r2', setting.guards);
}

/** Settles the batch: continues, stops, enqueues, or checks whether more calls have been allowed. */
function settle({ run, guards, may }: Actor): void {
  if (run.nextRun !== 'none') may('continues', (mine) => goContinue(mine, 'r2', guards));
  else if (run.stop === 'shutdown') may('hands the batch back', (mine) => set(mine, { at: 'postponing' }));
  else if (run.stop === 'lost') may('stops its batch', lookAgain);
  else if (run.wakeups.turn !== 'none') may('goes to enqueue', (mine) => goEnqueue(mine, mine.wakeups));
  else may('looks for more calls', (mine, after) => goOn(after, mine, guards));
}

/** Models `goOn`: takes calls of the batch that the run has not had yet (R15), or leaves calls to another worker. */
function goOn(state: State, run: Run, guards: Guards): void {
  const able = ableCalls(state.turn);
  const fresh = { once: able.once && !run.knew.once, other: able.other && !run.knew.other };
  if (!isActive(state.turn) || !guards.batchGoesOn || !(fresh.once || fresh.other)) {
    if (isActive(state.turn) && leavesCalls(state.turn, run)) run.at = 'postponing';
    else lookAgain(run);
    return;
  }
  planCalls(run, state.turn, fresh);
  beginCalls(state, run, guards);
}

/** Returns whether the run had open calls that no run has claimed: it lacks their tools. */
function leavesCalls({ once, other, claimed }: State['turn'], { knew, made }: Run): boolean {
  return (knew.once && once === 'none' && !claimed && !made) || (knew.other && other === 'able');
}
