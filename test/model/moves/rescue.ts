import { putOff, rescueTurn } from '../checkpoint/rescue-turns.ts';
import { ringNow } from '../checkpoint/ring.ts';
import { addJobs } from '../jobs.ts';
import type { Emit, Setting } from '../setting.ts';
import { noRings, type Rings, type State } from '../state.ts';

/** What is late, how its rescue is written, and what is rung after the commit. */
type Late = { what: string; write(state: State): void; rings(state: State): Rings };

/** `rescue.ts`: rings again for what is late; it may die between its commit and its ring. */
export function rescue(state: State, { scene, guards }: Setting, emit: Emit): void {
  const { turn, deliveries, next } = state;
  if (scene.rescuerOff || !guards.rescuerLooks) return;
  const all: Late[] = [];
  if (turn.due === 'late' && turn.step !== 'b1')
    emit('the rescuer puts the turn off', (after) => putOff(after, guards), 'later');
  if (turn.due === 'late') all.push({ what: 'the turn', write: (after) => rescueTurn(after, guards), rings: ringNow });
  for (const name of ['failed', 'ended'] as const) if (deliveries[name].row === 'late') all.push(lateDelivery(name));
  if (next.due === 'late') all.push(lateNext);
  for (const { what, write, rings } of all) {
    emit(`the rescuer rings for ${what}`, (after) => {
      write(after);
      addJobs(after, rings(after));
    });
    emit(`the rescuer dies before it rings for ${what}`, write, 'crash');
  }
}

/** `rescue-deliveries.ts`: under a new id, which no wedged one swallows. */
function lateDelivery(name: 'failed' | 'ended'): Late {
  return {
    what: `turn.${name}`,
    write: ({ deliveries }) => {
      deliveries[name].row = 'far';
      unwedge(deliveries[name]);
    },
    rings: () => ({ ...noRings(), [name]: true }),
  };
}

const lateNext: Late = {
  what: 'the next turn',
  write: ({ next }) => {
    next.due = 'far';
    unwedge(next);
  },
  rings: () => ({ ...noRings(), next: true }),
};

function unwedge(row: State['next'] | State['deliveries']['failed']): void {
  if (row.job === 'wedged') row.job = 'none';
}
