import type { Actor } from '../actor.ts';
import { breakPromise } from '../break-promise.ts';
import { saveDelivery } from '../checkpoint/delivery.ts';
import type { Guards } from '../guards/all-guards.ts';
import { isDelivery } from '../jobs.ts';
import { die, leave } from '../leave.ts';
import type { DeliveryName, Run, State } from '../state.ts';

/** Models `deliver-webhook.ts`: one attempt, outside any transaction, and its record (R16). */
export function postWebhook({ run, guards, may }: Actor): void {
  const { at, on: name } = run;
  if (at !== 'posting' || !isDelivery(name)) return;
  const attempt = (came: boolean) => (mine: Run, after: State) => {
    send(after, name, guards);
    saveDelivery(after, mine, { name, came, guards });
    leave(mine);
  };
  const dieUnwritten = (mine: Run, after: State) => {
    send(after, name, guards);
    die(after, mine);
  };
  may(`posts turn.${name}`, attempt(true));
  may(`posts turn.${name}, which is refused`, attempt(false), 'refusal');
  may(`posts turn.${name} and dies`, dieUnwritten, 'crash');
}

function send(state: State, name: DeliveryName, guards: Guards): void {
  const delivery = state.deliveries[name];
  if (delivery.sent && !guards.eventIdStays) breakPromise(state, 'one event was sent under two ids');
  delivery.sent = true;
}
