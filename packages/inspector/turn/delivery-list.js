/** @import { Delivery } from '../watch/watched-turn.js' */
import { call } from '../base/api.js';
import { actionButton, notice } from '../base/controls.js';
import { element } from '../base/element.js';
import { formatTimeOfDay } from '../base/time.js';
import { statusBadge } from '../base/turn-text.js';

/**
 * The webhook deliveries of a turn.
 * @param {Delivery[]} deliveries
 * @param {() => void} refresh is called when one is to be delivered again
 */
export function deliveryList(deliveries, refresh) {
  return element(
    'section',
    { class: 'deliveries', 'aria-label': 'Webhook deliveries' },
    element('h2', {}, 'Webhook deliveries'),
    element(
      'ul',
      {},
      deliveries.map((delivery) => deliveryView(delivery, refresh)),
    ),
  );
}

/**
 * @param {Delivery} delivery
 * @param {() => void} refresh
 */
function deliveryView({ id, type, url, status, ...delivery }, refresh) {
  const again = async () => {
    await call('POST', `/v1/deliveries/${id}/redeliver`);
    notice('It is delivered once more, with the same webhook-id.');
    refresh();
  };
  return element(
    'li',
    {},
    statusBadge(status),
    element('b', {}, type),
    element('code', {}, url),
    element('span', { class: 'meta' }, outcomeOf(delivery)),
    actionButton('Redeliver', again, { class: 'quiet', 'data-key': `redeliver-${id}` }),
  );
}

/** @param {Omit<Delivery, 'id' | 'type' | 'url' | 'status'>} delivery */
function outcomeOf({ attempts, last_status_code: code, last_error: error, next_attempt_at: next, delivered_at: at }) {
  const texts = [
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    code && `HTTP ${code}`,
    error,
    at && `delivered ${formatTimeOfDay(at)}`,
    next && `next ${formatTimeOfDay(next)}`,
  ];
  return texts.filter(Boolean).join(' · ');
}
