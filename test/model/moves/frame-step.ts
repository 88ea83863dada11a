import type { Actor } from '../actor.ts';
import { isActive } from '../checkpoint/active.ts';
import { ringSeen } from '../checkpoint/ring.ts';
import { takeHold } from '../checkpoint/take-hold.ts';
import type { Guards } from '../guards.ts';
import { goRing, leave, lookAgain } from '../leave.ts';
import { readTurn, type Sight } from '../left-turn.ts';
import { set } from '../set.ts';
import type { Setting } from '../setting.ts';
import type { Run, State } from '../state.ts';
import { beginStep } from './load-turn.ts';

/** What frames the work of a run: the hold before it, and the look at what is owed after it. */
export function frameStep({ run, guards, setting, may }: Actor): void {
  if (run.at === 'wants-hold') {
    may('takes the hold', (mine, after) => holdAndBegin(after, mine, setting));
    const loseAnswer = (mine: Run, after: State) => {
      takeHold(after, mine, guards);
      leave(mine);
    };
    may('takes the hold, the answer is lost', loseAnswer, 'lostAck');
  }
  if (run.at === 'reloading') {
    may('looks what is owed', (mine, after) => ringWhatIsOwed(mine, readTurn(after, mine), guards));
  }
}

function holdAndBegin(state: State, run: Run, setting: Setting): void {
  if (!takeHold(state, run, setting.guards)) {
    lookAgain(run);
    return;
  }
  run.knowsHold = true;
  beginStep(state, run, setting);
}

/** `what-is-owed.ts`: another step than the run's own is rung (R11). */
function ringWhatIsOwed(run: Run, sight: Sight, guards: Guards): void {
  const { turn } = sight;
  const isOwed = isActive(turn) && turn.atHead && turn.step !== run.on;
  if (isOwed && guards.ringsWhatIsOwed) goRing(run, ringSeen(sight));
  else if (guards.beatEndsWithRun) leave(run);
  else set(run, { at: 'leaking' });
}
