import { setTimeout as sleep } from 'node:timers/promises';
import type { Harm, LinkMode, Passage } from './link.ts';

export type Direction = 'request' | 'reply';

const SLOW_DELAY_MS = 40;
const SLOW_BYTES = 4_096;
const KEPT_REPLIES = 20;

type State = { readonly mode: LinkMode; harm: Harm };

/** Carries the bytes of one direction in their order, as the link's mode has it; what is lost is counted. */
export function carry(passage: Passage, direction: Direction, state: State): void {
  const { client, server } = passage;
  const [from, to] = direction === 'request' ? [client, server] : [server, client];
  let before: Promise<void> = Promise.resolve();
  let isWaiting = false;

  from.on('data', (bytes: Buffer) => {
    if (swallow(passage, direction, { bytes, state })) return;
    if (state.mode !== 'slow' && !isWaiting) return void to.write(bytes);
    isWaiting = true;
    state.harm.slowed += bytes.length;
    const mine = before.then(() => writeSlowly(bytes, to));
    before = mine;
    void mine.then(() => {
      if (before === mine) isWaiting = false;
    });
  });
  from.on('end', () => {
    if (!passage.isLost) void before.then(() => to.end());
  });
}

function swallow(passage: Passage, direction: Direction, { bytes, state }: { bytes: Buffer; state: State }): boolean {
  const { harm } = state;
  if (state.mode === 'drop-replies' && direction === 'reply') {
    passage.isLost = true;
    harm.droppedReplies = [...harm.droppedReplies, bytes.toString('latin1')].slice(-KEPT_REPLIES);
  } else if (!passage.isLost || state.mode === 'drop-replies') return false;
  harm.dropped += bytes.length;
  return true;
}

async function writeSlowly(bytes: Buffer, to: { write(piece: Buffer): unknown; destroyed: boolean }): Promise<void> {
  for (let at = 0; at < bytes.length; at += SLOW_BYTES) {
    await sleep(SLOW_DELAY_MS);
    if (to.destroyed) return;
    to.write(bytes.subarray(at, at + SLOW_BYTES));
  }
}
