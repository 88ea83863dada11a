import type { Reference } from './reference.ts';

/** Turns that are reported by several webhooks. */
export const deliveryReferences: Reference[] = [
  {
    of: 'a turn with two webhook endpoints, one of which refuses permanently',
    start: async ({ startTurn, recorder, call }) => {
      const events = ['turn.completed', 'webhook_endpoint.disabled'];
      await call('POST', '/v1/webhook_endpoints', { body: { url: `${recorder.url}/hook`, events } });
      await call('POST', '/v1/webhook_endpoints', { body: { url: `${recorder.url}/gone` } });
      await startTurn({ input: 'Hi' });
    },
  },
  {
    of: 'two deliveries that no worker has taken, to a slow receiver with one slot',
    points: /takeDeliveries #1$|send \/late_hook|saveDelivery/,
    repeats: 2,
    env: { PAWL_WORKER_CONCURRENCY: '1' },
    start: async ({ startTurn, recorder, call, harness }) => {
      const url = `${recorder.url}/late_hook`;
      await call('POST', '/v1/webhook_endpoints', { body: { url, events: ['turn.completed'] } });
      await startTurn({ input: 'Hi', webhook: { url } });
      while (await harness.workOnce());
    },
  },
];
