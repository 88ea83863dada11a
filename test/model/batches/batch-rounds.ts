import type { Emit } from '../explore/model.ts';
import { at } from '../explore/plain-model.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import type { BatchGuards } from './batch-guards.ts';
import { type BatchRun, type BatchState, IDLE_RUN, isAwaited, NEW_REQUEST } from './batch-state.ts';
import { recordUsage, wakeTurn } from './batch-writes.ts';

type By = { run: BatchRun; after: BatchState; slot: number; guards: BatchGuards };
type Move = { state: BatchState; slot: number; run: BatchRun; may: MayRun<BatchState>; guards: BatchGuards };

/** Emits the moves of the runs: a round enters a batch, waits, reads its answers and is saved. */
export function moveRounds(state: BatchState, emit: Emit<BatchState>, guards: BatchGuards): void {
  moveRuns(state, emit, (run, may, slot) => {
    const move = { state, slot, run, may, guards };
    if (run.at === 'idle') takeTurns(move);
    else if (run.isAsleep) may('wakes', (own) => Object.assign(own, { isAsleep: false }));
    else moveRun(move);
  });
}

function takeTurns({ state, slot, may }: Move): void {
  for (const [index, { status, isDue, owner, round, requests, inputs }] of state.turns.entries()) {
    if (status !== 'active' || !isDue || owner !== -1) continue;
    may(`takes turn ${index + 1}`, (own, after) => {
      Object.assign(at(after.turns, index), { owner: slot, isDue: false });
      Object.assign(own, { at: 'loaded', turn: index, round, requests: [...requests], inputs, isFresh: true });
    });
  }
}

function moveRun(move: Move): void {
  const { state, slot, run, may, guards } = move;
  const commit = (verb: string, write: (by: By) => void) =>
    may(verb, (own, after) => write({ run: own, after, slot, guards }));
  may('dies', (own, after) => leave({ run: own, after, slot, guards }), 'crash');
  may('sleeps, and its lease expires', fallAsleep, 'stall');
  if (run.at === 'loaded') decide(move, commit);
  else if (run.at === 'entering') enterOrRepeat(move, commit);
  else if (run.at === 'saving') commit('saves the round', saveWithAnswers);
  else if (run.at === 'removing') commit('removes the requests of the round', removeUsed);
  else if (run.at === 'retrying') commit('commits the failed attempt', dropRequests);
  else {
    commit('waits again', waitAgain);
    if (at(state.turns, run.turn).isLate) commit('leaves the tier', leaveTier);
  }
}

function fallAsleep(run: BatchRun, after: BatchState): void {
  const turn = at(after.turns, run.turn);
  run.isAsleep = true;
  if (turn.owner !== after.runs.indexOf(run)) return;
  turn.owner = -1;
  wakeTurn(after, run.turn);
}

type Commits = (verb: string, write: (by: By) => void) => void;

function decide({ state, run, may }: Move, commit: Commits): void {
  const last = run.requests.at(-1);
  if (at(state.turns, run.turn).tier === 'default')
    commit('asks the model directly, and saves the round', saveDirectly);
  else if (last === undefined) may('renders the round', (own) => Object.assign(own, { at: 'entering' }));
  else
    may('reads the answers', (own, after) => {
      const { row, answer } = at(after.requests, last);
      own.at = row === 'answered' ? NEXT[answer] : 'undecided';
    });
}

const NEXT = { ok: 'saving', failed: 'retrying', other: 'entering', none: 'undecided' } as const;

function enterOrRepeat({ may, slot, guards }: Move, commit: Commits): void {
  commit('enters a request', (by) => {
    enterBatch(by);
    leave(by);
  });
  may(
    'enters a request, and the answer is lost',
    (own, after) => enterBatch({ run: own, after, slot, guards }),
    'lostAck',
  );
}

/** Models `enter-batch.ts` (R5): the row, the ids that the round awaits, and the end of its lease in one commit. */
function enterBatch(by: By): void {
  const { after, run, guards } = by;
  const turn = at(after.turns, run.turn);
  if (!mayGiveUp(by, guards.enterNeedsGeneration ? 'generation' : 'step')) return;
  if (turn.requests.join() !== run.requests.join())
    after.broken ??= 'a round entered a batch although it awaited a request';
  after.requests.push({ ...NEW_REQUEST, turn: run.turn, inputs: run.inputs });
  turn.requests = [...run.requests, after.requests.length - 1];
  release(by, false);
}

/** Models `enter-batch.ts` without a new request. A run does not wait if the answer was stored since its look. */
function waitAgain(by: By): void {
  const { after, run, guards } = by;
  const isAnswered = after.requests[run.requests.at(-1) ?? -1]?.row === 'answered';
  if (mayGiveUp(by) && !(isAnswered && guards.waitChecksAnswers)) release(by, false);
  leave(by);
}

/** Models `postpone.ts` with the tier of the fallback (R24). */
function leaveTier(by: By): void {
  if (mayGiveUp(by)) {
    Object.assign(at(by.after.turns, by.run.turn), { tier: 'default', requests: [] });
    release(by, true);
  }
  leave(by);
}

/** Models `postpone.ts` after a request that has failed: the next run enters another request. */
function dropRequests(by: By): void {
  const turn = at(by.after.turns, by.run.turn);
  if (mayGiveUp(by)) {
    if (turn.requests.join() === by.run.requests.join()) turn.requests = [];
    release(by, true);
  }
  leave(by);
}

/** Models `save-with-answers.ts` (R43): the round and the deletion of its requests are one transaction. */
function saveWithAnswers(by: By): void {
  const { after, run, guards } = by;
  const areThere = run.requests.every((id) => at(after.requests, id).row === 'answered');
  const isSaved = areThere && isOnStep(by);
  if (isSaved) {
    for (const id of run.requests) recordUsage(after, id);
    const { inputs, sentInputs } = at(after.requests, run.requests.at(-1) ?? -1);
    if (inputs !== sentInputs) after.broken ??= 'a round recorded other inputs than its line had';
    moveOn(by, inputs);
  }
  if (isSaved && !guards.roundRemovesRequests) run.at = 'removing';
  else {
    if (isSaved) removeRows(by);
    leave(by);
  }
}

function removeUsed(by: By): void {
  removeRows(by);
  leave(by);
}

function removeRows({ after, run }: By): void {
  for (const id of run.requests) at(after.requests, id).row = 'gone';
}

function saveDirectly(by: By): void {
  if (isOnStep(by)) moveOn(by, by.run.inputs);
  leave(by);
}

/** Ends the turn, or makes its next round due. An input that the round has not sent needs another round (R30). */
function moveOn({ after, run }: By, inputs: number): void {
  const turn = at(after.turns, run.turn);
  const isLast = turn.round >= after.rounds && turn.inputs <= inputs;
  Object.assign(turn, { requests: [], tier: 'batch', isLate: false, owner: -1, isDue: !isLast });
  if (isLast) turn.status = 'over';
  else turn.round += 1;
}

function isOnStep({ after, run }: By): boolean {
  const { status, round } = at(after.turns, run.turn);
  return status === 'active' && round === run.round;
}

/** Models `mayGiveUp` of `sql/lease.ts` (R5). */
function mayGiveUp(by: By, needs: 'generation' | 'step' = 'generation'): boolean {
  const { owner } = at(by.after.turns, by.run.turn);
  if (!isOnStep(by)) return false;
  return owner === by.slot || ((by.run.isFresh || needs === 'step') && owner === -1);
}

/** Releases the step for another run, which is due now or after an answer. The generation rises. */
function release({ after, run }: By, isDue: boolean): void {
  const turn = at(after.turns, run.turn);
  for (const other of after.runs) if (other.turn === run.turn) other.isFresh = false;
  Object.assign(turn, { owner: -1, isDue });
}

/** Ends a run. A step under its lease is due again. */
function leave({ after, run, slot }: By): void {
  const turn = at(after.turns, run.turn);
  if (turn.owner === slot) {
    turn.owner = -1;
    wakeTurn(after, run.turn);
  }
  Object.assign(run, IDLE_RUN);
}

/** Emits the actions of callers, and the moments at which a waiting turn is due without an answer. */
export function callTurns(state: BatchState, emit: Emit<BatchState>): void {
  for (const [index, { status, requests, owner, isDue, tier, inputs }] of state.turns.entries()) {
    if (status !== 'active') continue;
    emit('an input joins', (after) => Object.assign(at(after.turns, index), { inputs: inputs + 1 }), 'join');
    const name = `turn ${index + 1}`;
    emit(
      `the caller cancels ${name}`,
      (after) => Object.assign(at(after.turns, index), { status: 'over', owner: -1 }),
      'cancel',
    );
    if (requests.length === 0 || owner !== -1 || isDue || tier !== 'batch') continue;
    emit(`${name} is rescued`, (after) => wakeTurn(after, index), 'duplicate');
    const becomeLate = (after: BatchState) => {
      at(after.turns, index).isLate = true;
      wakeTurn(after, index);
    };
    emit(`${name} is late for its deadline`, becomeLate, 'late');
  }
}

/** Models `settle-answers.ts` (R43), one statement of each worker. */
export function settleRequests(state: BatchState, emit: Emit<BatchState>, guards: BatchGuards): void {
  for (const [id, { row, batch }] of state.requests.entries()) {
    const isToSettle = row === 'answered' || (row === 'waiting' && batch === -1);
    if (!isToSettle || (isAwaited(state, id) && guards.settleNeedsEndOfWait)) continue;
    emit(`a sweep settles request ${id + 1}`, (after) => {
      if (isAwaited(after, id)) after.broken ??= 'a request was removed although its round awaits it';
      if (row === 'answered') recordUsage(after, id);
      at(after.requests, id).row = 'gone';
    });
  }
}
