import type { Wire } from './open-wire.ts';
import type { Performance } from './performance.ts';

const DRIP_MS = 100;

/** Sends an answer as rendered: all at once without a pace, else piece by piece. Stops when the client is gone. */
export async function perform({ thinkMs, head, pieces, paceMs, ending }: Performance, wire: Wire): Promise<void> {
  await wire.pause(thinkMs);
  if (!wire.isOpen()) return;
  if (!head) return ending === 'cut' ? wire.cut() : undefined;

  wire.head(head.status, head.headers);
  const writes = paceMs > 0 ? pieces : [pieces.join('')];
  const last = writes.at(-1) ?? '';
  await sendPaced(writes.slice(0, -1), paceMs, wire);
  if (!wire.isOpen()) return;
  if (ending === 'end') return wire.end(last);
  wire.write(last);
  if (ending === 'cut') wire.cut();
  if (ending === 'repeat') await repeat(pieces.at(-1) ?? ' ', paceMs || DRIP_MS, wire);
}

async function sendPaced(pieces: string[], paceMs: number, wire: Wire): Promise<void> {
  for (const piece of pieces) {
    if (!wire.isOpen()) return;
    wire.write(piece);
    await wire.pause(paceMs);
  }
}

async function repeat(piece: string, everyMs: number, wire: Wire): Promise<void> {
  while (wire.isOpen()) {
    await wire.pause(everyMs);
    if (wire.isOpen()) wire.write(piece);
  }
}
