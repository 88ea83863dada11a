import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceiverMode } from '../../harness/servers/webhook-receiver.ts';
import type { Fault } from './fault.ts';

const TIMEOUT_MS = 20_000;

/** Makes the receiver of webhooks fail: it is down, answers 500, is slow, or answers 410. */
export function troubleReceiver(mode: ReceiverMode): Fault {
  return async ({ receiver }, { lastsMs }) => {
    const before = receiver.received.length;
    receiver.setMode(mode);
    const until = Date.now() + TIMEOUT_MS;
    await sleep(lastsMs);
    // A fault without a webhook has no effect, so it lasts until a webhook has arrived.
    while (receiver.received.length === before && Date.now() < until) await sleep(100);
    receiver.setMode('well');
    const met = receiver.received.length - before;
    return { evidence: met > 0 ? `the receiver got ${met} webhooks` : null, endedAt: Date.now(), scope: 'none' };
  };
}
