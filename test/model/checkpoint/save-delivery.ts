import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import { type DeliveryName, noRings, type Rings, type Run, type State } from '../state.ts';

type Attempt = { name: DeliveryName; came: boolean; guards: Guards };

/** `save-delivery.ts` (R15): what one attempt came to, counted once; a delivery that is over stays as it is. */
export function saveDelivery(state: State, run: Run, { name, came, guards }: Attempt): Rings | null {
  const delivery = state.deliveries[name];
  const isOver = delivery.row === 'delivered';
  if ((isOver || !run.isFresh) && guards.attemptCountsOnce) return null;
  if (isOver && !came) breakPromise(state, 'a delivery that had come was made owed again');
  delivery.row = came ? 'delivered' : 'far';
  for (const other of state.runs) if (other.on === name) other.isFresh = false;
  return { ...noRings(), [name]: !came, ...ringNext(state, name) };
}

/** The delivery that may have been told to wait for this one. */
function ringNext({ deliveries: { ended } }: State, name: DeliveryName): Partial<Rings> {
  if (name === 'ended' || (ended.row !== 'far' && ended.row !== 'late')) return {};
  ended.row = 'far';
  if (ended.job === 'wedged') ended.job = 'none';
  return { ended: true };
}
