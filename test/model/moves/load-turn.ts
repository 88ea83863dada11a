import { breakPromise } from '../break-promise.ts';
import { isActive } from '../checkpoint/active.ts';
import { isHeld } from '../checkpoint/hold.ts';
import { ringSeen } from '../checkpoint/ring.ts';
import type { Guards } from '../guards.ts';
import { goRing, leave, lookAgain } from '../leave.ts';
import type { Sight } from '../left-turn.ts';
import type { Setting } from '../setting.ts';
import type { Run, State, Turn } from '../state.ts';

/** How a turn is met: as it was seen, and perhaps while its model is rate-limited. */
type Met = { sight: Sight; setting: Setting; isLimited?: boolean };

/** The start of `work-turn.ts`: decide (`next-step.ts`) by what was loaded, then leave, ring, or go to work. */
export function loadTurn(state: State, run: Run, { sight, setting, isLimited = false }: Met): void {
  const { turn } = sight;
  const { guards } = setting;
  if (!isActive(turn) || !turn.atHead || isWaiting(turn)) leave(run);
  else if (turn.step !== run.on) ringOther(run, sight, guards);
  else if (isHeld(turn, guards)) leaveHeld(state, run, guards);
  else if (isHalfKnown(turn)) lookAgain(run);
  else begin(state, run, { sight, setting, isLimited });
}

/** Nothing of the batch can be done until somebody outside answers. */
function isWaiting(turn: Turn): boolean {
  const { once, other } = ableCalls(turn);
  return turn.step === 'b1' && !once && !other;
}

/** What it takes for open is answered already: its claims and saves miss the step, and its job is used up (`goOn`). */
function isHalfKnown({ step, other }: Turn): boolean {
  return step === 'r2' && other === 'able';
}

function ringOther(run: Run, sight: Sight, guards: Guards): void {
  if (guards.ringsWhatIsOwed) goRing(run, ringSeen(sight));
  else leave(run);
}

function leaveHeld({ turn }: State, run: Run, guards: Guards): void {
  if (!guards.leaverWritesNothing) turn.due = 'never';
  leave(run);
}

/** With a hold, or without one where no other job can be about. A round whose model may not be asked is postponed as it is. */
function begin(state: State, run: Run, { sight, setting, isLimited }: Met): void {
  const { next, facts } = state;
  const { turn, isFresh } = sight;
  const { guards } = setting;
  run.isFresh = isFresh;
  run.saw = {
    events: guards.eventsUnderLock ? 0 : facts.events,
    waiting: !guards.saveSeesAnswers && turn.other === 'waiting',
    alone: !guards.endSeesOthers && next.place !== 'waiting',
  };
  planCalls(run, turn, ableCalls(turn));
  if (isLimited && run.on !== 'b1') run.at = 'postponing';
  else if (isQuiet(turn, guards) && run.once !== 'give-up') beginStep(state, run, setting);
  else run.at = 'wants-hold';
}

/** `quiet` of `select-turns.ts`: no other job can be about (R3). */
function isQuiet({ rung, hold, status, due }: Turn, guards: Guards): boolean {
  if (rung && guards.quietIsUnrung) return false;
  if (status === 'queued' && guards.quietIsStarted) return false;
  return hold === 'none' && (due === 'far' || !guards.quietIsFar);
}

/** The calls of the batch that a run may answer now; one that waits only once it has expired. */
export function ableCalls({ step, once, other, expired }: Turn): { once: boolean; other: boolean } {
  const isAble = other === 'able' || (other === 'waiting' && expired);
  return { once: step === 'b1' && once === 'none', other: step === 'b1' && isAble };
}

/** `plan-call.ts`, for the calls the run has on hand. A claim that is there is never its own (R1). */
export function planCalls(run: Run, turn: Turn, able: { once: boolean; other: boolean }): void {
  run.knew = able;
  if (able.once) run.once = turn.claimed ? 'give-up' : 'to-claim';
  if (able.other) run.other = turn.other === 'able' ? 'running' : 'refusing';
}

/** The run goes to work: asks the model, or begins its calls. */
export function beginStep(state: State, run: Run, { scene: { maxAsks }, guards }: Setting): void {
  if (run.on === 'b1') beginCalls(state, run, guards);
  else run.at = 'asking';
  if (maxAsks === undefined || run.on === 'b1') return;
  state.facts.asks += 1;
  if (state.facts.asks > maxAsks) breakPromise(state, 'the model was asked once more for a round than it should be');
}

/** What may run at most once is claimed before anything of the batch is called. */
export function beginCalls(state: State, run: Run, guards: Guards): void {
  run.at = run.once === 'to-claim' ? 'claiming' : 'calling';
  if (run.at === 'calling' && run.other === 'running') sendKey(state, guards);
}

/** The `Idempotency-Key` of a call is made of what is stored, so that it is the same for every run. */
function sendKey(state: State, guards: Guards): void {
  const { facts } = state;
  const key = guards.keyIsStored || facts.key === 'none' ? 'call' : 'run';
  if (facts.key !== 'none' && key !== facts.key) breakPromise(state, 'one call went out under two keys');
  facts.key = key;
}
