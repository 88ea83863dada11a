import { isActive } from '../checkpoint/active.ts';
import type { Guards } from '../guards.ts';
import { forgetLeft } from '../left-turn.ts';
import type { Scene } from '../scene.ts';
import { set } from '../set.ts';
import type { Emit, Setting } from '../setting.ts';
import type { Rings, Run, State } from '../state.ts';
import { isVouchedFor, willBeat } from './beat.ts';

/**
 * The database's clock. Who is neither dead nor asleep does the next small thing before what is near is late, and keeps
 * what it holds; all else may take any time. That a job waits although a worker is free is a fault (`backlog`).
 */
export function passTime(state: State, setting: Setting, emit: Emit): void {
  const { turn } = state;
  const { scene, guards } = setting;
  passHold(state, { scene, guards, emit });
  passDue(state, guards, emit);
  if (turn.isEarly) emit('the pause is over', (after) => set(after.turn, { isEarly: false }));
  if (turn.expires && !turn.expired && turn.step === 'b1' && turn.other === 'waiting') {
    emit('the waiting call expires', expire);
  }
  passDelivery(state, 'failed', { guards, emit });
  passDelivery(state, 'ended', { guards, emit });
  passNext(state, emit);
}

type Clocked = { scene: Scene; guards: Guards; emit: Emit };

/** A hold lapses at the moment its turn is late: `held_until` and `due_at` are one value. */
function passHold(state: State, { scene, guards, emit }: Clocked): void {
  const isKept = state.runs.some((run) => run.holds && isVouchedFor(run));
  if (state.turn.hold !== 'alive' || isKept) return;
  const lapse = (after: State) => {
    set(after.turn, { hold: 'lapsed', due: after.turn.due === 'never' ? 'never' : 'late' });
    forgetLeft(after, guards);
  };
  emit('the hold lapses', lapse, scene.prompt && isUnanswered(state) ? 'backlog' : undefined);
}

function passDue(state: State, guards: Guards, emit: Emit): void {
  const { turn, runs, api } = state;
  if (!isActive(turn) || turn.hold === 'alive') return;
  const draw = (after: State) => {
    after.turn.due = 'near';
    forgetLeft(after, guards);
  };
  if (turn.due === 'far') emit('the turn is nearly late', draw);
  if (turn.due !== 'near' || turn.isEarly || api.turn !== 'none') return;
  if (runs.some((run) => willBeat(state, run, guards) || isAboutToRing(run))) return;
  emit('the turn is late', (after) => set(after.turn, { due: 'late' }), isUnanswered(state) ? 'backlog' : undefined);
}

function isAboutToRing({ at, isAsleep }: Run): boolean {
  return !isAsleep && (at === 'wants-hold' || at === 'reloading' || at === 'ringing');
}

function expire({ turn }: State): void {
  turn.expired = true;
  if (turn.due === 'expiry') turn.due = 'late';
}

function passDelivery(state: State, name: 'failed' | 'ended', { guards, emit }: { guards: Guards; emit: Emit }): void {
  const { row, job } = state.deliveries[name];
  const late = (after: State) => set(after.deliveries[name], { row: 'late' });
  const isKept = state.runs.some((run) => run.at === 'posting' && run.on === name && !run.isAsleep);
  if (row === 'held' && !isKept) emit(`the hold on turn.${name} lapses`, late);
  if (row !== 'far' || !guards.deliveryIsDue || isRinging(state, (rings) => rings[name])) return;
  emit(`turn.${name} is late`, late, job === 'waiting' && isAnyFree(state) ? 'backlog' : undefined);
}

function passNext(state: State, emit: Emit): void {
  const { due, job } = state.next;
  if (due !== 'far' || isRinging(state, (rings) => rings.next)) return;
  const late = (after: State) => set(after.next, { due: 'late' });
  emit('the next turn is late', late, job === 'waiting' && isAnyFree(state) ? 'backlog' : undefined);
}

function isRinging({ api, runs }: State, has: (rings: Rings) => boolean): boolean {
  return has(api) || runs.some((run) => !run.isAsleep && has(run.rings));
}

/** A job for the turn waits although a worker is free to take it. */
function isUnanswered(state: State): boolean {
  const { queue, turn } = state;
  return (queue.now === 'waiting' || queue[turn.step]) && isAnyFree(state);
}

function isAnyFree({ runs }: State): boolean {
  return runs.some((run) => run.at === 'idle');
}
