import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import { set } from '../set.ts';
import type { DeliveryName, Run, State } from '../state.ts';

/** Models `take-deliveries.ts` (R16): takes a delivery for one attempt, unless another worker has it. */
export function takeDelivery(state: State, run: Run, of: { name: DeliveryName; guards: Guards }): boolean {
  const delivery = state.deliveries[of.name];
  if (delivery.row === 'leased') breakPromise(state, 'two workers made the same delivery at once');
  if (of.name === 'ended' && mustWait(state)) {
    if (of.guards.deliveryWaitsForEarlier) return false;
    breakPromise(state, 'two webhooks of a turn arrived in the wrong order');
  }
  set(delivery, { row: 'leased', taken: true });
  run.isFresh = true;
  return true;
}

/** Returns whether an earlier delivery is being sent, or was never taken. */
function mustWait({ deliveries: { failed } }: State): boolean {
  return (failed.row === 'due' && !failed.taken) || failed.row === 'leased';
}

type Attempt = { name: DeliveryName; came: boolean; guards: Guards };

/** Models `save-delivery.ts` (R16): the outcome of one attempt counts once, and a finished delivery does not change. */
export function saveDelivery(state: State, run: Run, { name, came, guards }: Attempt): void {
  const delivery = state.deliveries[name];
  const isOver = delivery.row === 'delivered';
  if ((isOver || !run.isFresh) && guards.attemptCountsOnce) return;
  if (isOver && !came) breakPromise(state, 'an ended delivery became due again');
  delivery.row = came ? 'delivered' : 'due';
  for (const other of state.runs) if (other.on === name) other.isFresh = false;
}
