import { postponeRateLimited, rescueTurn } from '../checkpoint/rescue.ts';
import { wakeupNow } from '../checkpoint/wakeup.ts';
import { addJobs } from '../jobs.ts';
import type { Emit, Setting } from '../setting.ts';
import { noWakeups, type State, type Wakeups } from '../state.ts';

/** A late row: its name, the write of its rescue, and the wakeups after the commit. */
type Late = { what: string; write(state: State): void; wakeups(state: State): Wakeups };

/** Models `rescue.ts`: enqueues late rows again. It may die between its commit and the queue. */
export function rescue(state: State, { scene, guards }: Setting, emit: Emit): void {
  const { turn, next } = state;
  if (scene.rescuerOff || !guards.rescuerFindsDueTurns) return;
  const all: Late[] = [];
  if (turn.due === 'late' && turn.step !== 'b1')
    emit('the rescuer postpones the turn', (after) => postponeRateLimited(after, guards), 'later');
  if (turn.due === 'late')
    all.push({ what: 'the turn', write: (after) => rescueTurn(after, guards), wakeups: wakeupNow });
  if (next.due === 'late') all.push(lateNext);
  for (const { what, write, wakeups } of all) {
    emit(`the rescuer enqueues ${what}`, (after) => {
      write(after);
      addJobs(after, wakeups(after));
    });
    emit(`the rescuer dies before it enqueues ${what}`, write, 'crash');
  }
}

/** Models `checkpoint/rescue.ts`: it uses a new id, which no wedged id swallows. */
const lateNext: Late = {
  what: 'the next turn',
  write: ({ next }) => {
    next.due = 'far';
    if (next.job === 'wedged') next.job = 'none';
  },
  wakeups: () => ({ ...noWakeups(), next: true }),
};
