import { ActionButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { StatusBadge } from '../base/fact-list.tsx';
import { formatTimeOfDay } from '../base/time.ts';
import type { Delivery } from '../base/turn.ts';

/** The webhook deliveries of a turn. */
export function DeliveryList({ deliveries, refresh }: { deliveries: Delivery[]; refresh: () => void }) {
  if (deliveries.length === 0) return null;
  const redeliver = async (id: string) => {
    await call('POST', `/v1/deliveries/${id}/redeliver`);
    notice('Pawl delivers it once more, with the same webhook-id.');
    refresh();
  };
  return (
    <section class="deliveries" aria-label="Webhook deliveries">
      <h2>Webhook deliveries</h2>
      <ul>
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="facts-line">
            <StatusBadge status={delivery.status} />
            <b>{delivery.type}</b>
            <code>{delivery.url}</code>
            <span class="meta">{outcomeOf(delivery)}</span>
            <ActionButton looks="quiet" work={() => redeliver(delivery.id)}>
              Redeliver
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeOf({ attempts, last_status_code: code, last_error: error, ...delivery }: Delivery): string {
  const { next_attempt_at: nextAt, delivered_at: deliveredAt } = delivery;
  const texts = [
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    code && `HTTP ${code}`,
    error,
    deliveredAt && `delivered ${formatTimeOfDay(deliveredAt)}`,
    nextAt && `next ${formatTimeOfDay(nextAt)}`,
  ];
  return texts.filter(Boolean).join(' · ');
}
