import type { Actor } from '../actor.ts';
import { promoteReopened } from '../checkpoint/promote-next.ts';
import { ringNow } from '../checkpoint/ring.ts';
import { takeDelivery } from '../checkpoint/take-delivery.ts';
import type { Guards } from '../guards.ts';
import { goRing, leave } from '../leave.ts';
import { readTurn, type Sight, takeLeft } from '../left-turn.ts';
import { set } from '../set.ts';
import type { Setting } from '../setting.ts';
import type { Run, State, Step } from '../state.ts';
import { loadTurn } from './load-turn.ts';

/** A worker that is free takes one of the jobs that wait. */
export function takeJob(actor: Actor): void {
  const { state, run, guards, setting, may } = actor;
  const { queue, turn, deliveries, next } = state;
  if (run.at !== 'idle') return;
  if (queue.now === 'waiting' && mayBeHandedOut(state, setting)) {
    const job = { verb: `takes the job of ${turn.step}`, step: turn.step, isRungAnew: turn.rung };
    look(actor, job, (taker, after, { sightOf, isLimited }) => {
      after.queue.now = 'none';
      set(taker, { on: turn.step, job: 'now' });
      loadTurn(after, taker, { sight: sightOf(after, taker, setting), setting, isLimited });
    });
  }
  for (const step of ['r1', 'b1', 'r2'] as const) {
    if (!queue[step] || !mayBeHandedOut(state, setting)) continue;
    const job = { verb: `takes an older job of ${step}`, step, isRungAnew: false };
    look(actor, job, (taker, after, { sightOf, isLimited }) => {
      after.queue[step] = false;
      set(taker, { on: step, job: 'old' });
      loadTurn(after, taker, { sight: sightOf(after, taker, setting), setting, isLimited });
    });
  }
  for (const name of ['failed', 'ended'] as const) {
    if (deliveries[name].job !== 'waiting') continue;
    may(`takes the delivery of turn.${name}`, (taker, after) => {
      after.deliveries[name].job = 'none';
      if (takeDelivery(after, taker, { name, guards })) set(taker, { at: 'posting', on: name, job: 'now' });
    });
  }
  if (next.job === 'waiting') may('works the next turn', (taker, after) => workNext(after, taker, guards));
}

type Look = { sightOf(state: State, run: Run, setting: Setting): Sight; isLimited: boolean };

/** A job begins with a look at the turn: as it stands, or, for the first ring of a step, as its worker has left it; and at its
 * model, which may be rate-limited (`stayAway`).
 */
function look(
  { run, guards, may }: Actor,
  { verb, step, isRungAnew }: { verb: string; step: Step; isRungAnew: boolean },
  change: (run: Run, after: State, look: Look) => void,
): void {
  const see = (sightOf: Look['sightOf'], isLimited: boolean) => (mine: Run, after: State) =>
    change(mine, after, { sightOf, isLimited });
  may(verb, see(readTurn, false));
  if (step !== 'b1') may(`${verb}, whose model is rate-limited`, see(readTurn, true), 'later');
  if (run.left === 'none' || (isRungAnew && guards.leftMindsRing)) return;
  may(`${verb}, by what it has left`, see(takeLeft, false));
  if (step !== 'b1') may(`${verb}, by what it has left, whose model is rate-limited`, see(takeLeft, true), 'later');
}

/** Where nobody rescues, the queue keeps time: BullMQ's lock outlives a hold (R11), and a delay is kept. */
function mayBeHandedOut({ turn, runs }: State, { scene, guards }: Setting): boolean {
  if (!scene.rescuerOff) return true;
  const isOrphaned = turn.hold === 'alive' && !runs.some((run) => run.holds);
  return !(isOrphaned && guards.lockOutlivesHold) && !turn.isEarly;
}

/** The next turn is worked in one go; its own protocol is this same one. */
function workNext(state: State, run: Run, guards: Guards): void {
  const { next } = state;
  next.job = 'none';
  if (next.place !== 'head') return;
  set(next, { place: 'done', due: 'never' });
  if (promoteReopened(state, guards)) goRing(run, ringNow(state));
  else leave(run);
}
