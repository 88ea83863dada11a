import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import { set } from '../set.ts';
import type { DeliveryName, Run, State } from '../state.ts';

/** `take-delivery.ts` (R15): for one attempt, while nobody else is at it. */
export function takeDelivery(state: State, run: Run, of: { name: DeliveryName; guards: Guards }): boolean {
  const delivery = state.deliveries[of.name];
  const isPending = delivery.row === 'far' || delivery.row === 'late';
  const isTaken = delivery.row === 'held';
  if (!isPending && !(isTaken && !of.guards.deliveryMindsHold)) return false;
  if (isTaken) breakPromise(state, 'two workers made the same delivery at once');
  if (of.name === 'ended' && mustWait(state)) {
    if (of.guards.deliveryWaits) return false;
    breakPromise(state, 'two webhooks of a turn came in the wrong order');
  }
  set(delivery, { row: 'held', taken: true });
  run.isFresh = true;
  return true;
}

/** An earlier one is being told right now, or nobody has taken it yet. */
function mustWait({ deliveries: { failed } }: State): boolean {
  const isUntaken = !failed.taken && (failed.row === 'far' || failed.row === 'late');
  return isUntaken || failed.row === 'held';
}
