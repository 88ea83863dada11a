import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceiverMode } from '../witness/receiver.ts';
import type { Fault } from './proof.ts';

const PATIENCE_MS = 20_000;

/** The receiver of webhooks is down, answers 500, is slow, or wants no more. */
export function troubleReceiver(mode: ReceiverMode): Fault {
  return async ({ receiver }, { lastsMs }) => {
    const before = receiver.seen.length;
    receiver.setMode(mode);
    const until = Date.now() + PATIENCE_MS;
    await sleep(lastsMs);
    // A receiver that nobody calls has no trouble: it waits for at least one.
    while (receiver.seen.length === before && Date.now() < until) await sleep(100);
    receiver.setMode('well');
    const met = receiver.seen.length - before;
    return { fired: met > 0 ? `${met} webhooks met it` : null, endedAt: Date.now(), scope: 'none' };
  };
}
