import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import { set } from '../set.ts';
import type { DeliveryName, Run, State } from '../state.ts';

/** `take-deliveries.ts` (R16): for one attempt, while no other worker is at it. */
export function takeDelivery(state: State, run: Run, of: { name: DeliveryName; guards: Guards }): boolean {
  const delivery = state.deliveries[of.name];
  if (delivery.row === 'leased') breakPromise(state, 'two workers made the same delivery at once');
  if (of.name === 'ended' && mustWait(state)) {
    if (of.guards.deliveryWaitsForEarlier) return false;
    breakPromise(state, 'two webhooks of a turn came in the wrong order');
  }
  set(delivery, { row: 'leased', taken: true });
  run.isFresh = true;
  return true;
}

/** An earlier one is being sent right now, or was never taken. */
function mustWait({ deliveries: { failed } }: State): boolean {
  return (failed.row === 'due' && !failed.taken) || failed.row === 'leased';
}

type Attempt = { name: DeliveryName; came: boolean; guards: Guards };

/** `save-delivery.ts` (R16): the outcome of one attempt, counted once; a delivery that is over stays as it is. */
export function saveDelivery(state: State, run: Run, { name, came, guards }: Attempt): void {
  const delivery = state.deliveries[name];
  const isOver = delivery.row === 'delivered';
  if ((isOver || !run.isFresh) && guards.attemptCountsOnce) return;
  if (isOver && !came) breakPromise(state, 'a delivery that was over became due again');
  delivery.row = came ? 'delivered' : 'due';
  for (const other of state.runs) if (other.on === name) other.isFresh = false;
}
