import { setTimeout as sleep } from 'node:timers/promises';
import type { Direction, Passage, State } from './passage.ts';

/** Carries the bytes of one direction in order, as the link's mode says, and counts lost bytes. */
export function carry(passage: Passage, direction: Direction, state: State): void {
  const { client, server } = passage;
  const [from, to] = direction === 'request' ? [client, server] : [server, client];
  let before: Promise<void> = Promise.resolve();
  let isWaiting = false;

  from.on('data', (bytes: Buffer) => {
    if (swallow(passage, direction, { bytes, state })) return;
    const impediment = impede(bytes, direction, state);
    if (!impediment && !isWaiting) return void to.write(bytes);
    isWaiting = true;
    const mine = before.then(async () => {
      await impediment?.();
      if (!to.destroyed && !passage.isLost) to.write(bytes);
    });
    before = mine;
    void mine.then(() => {
      if (before === mine) isWaiting = false;
    });
  });
  from.on('end', () => {
    if (!passage.isLost) void before.then(() => to.end());
  });
}

type Carrying = { bytes: Buffer; state: State };

function swallow(passage: Passage, direction: Direction, { bytes, state }: Carrying): boolean {
  const { harm } = state;
  if (state.mode === 'drop-replies' && direction === 'reply') {
    passage.isLost = true;
    harm.droppedReplies = [...harm.droppedReplies, bytes.toString('latin1')].slice(-KEPT_REPLIES);
  } else if (!passage.isLost || state.mode === 'drop-replies') return false;
  harm.dropped += bytes.length;
  return true;
}

const KEPT_REPLIES = 20;

/** Returns the wait that bytes must make after the bytes before them have passed. Null if they pass at once. */
function impede(bytes: Buffer, direction: Direction, state: State): (() => Promise<unknown>) | null {
  const { mode, harm, modeEnded } = state;
  if (isHeld(direction, state)) {
    harm.held += bytes.length;
    return () => modeEnded.promise;
  }
  if (mode !== 'slow' && mode !== 'delay' && mode !== 'lossy') return null;
  harm.slowed += bytes.length;
  if (mode === 'slow') return () => sleep(SLOW_DELAY_MS + bytes.length / SLOW_BYTES_PER_MS);
  const arrived = sleep(mode === 'delay' ? delayMs() : resendMs());
  return () => arrived;
}

/** Returns whether a link holds the bytes of a direction until its mode ends. */
export function isHeld(direction: Direction, { mode }: Pick<State, 'mode'>): boolean {
  return mode === 'hold' || (mode === 'hold-replies' && direction === 'reply');
}

const SLOW_BYTES_PER_MS = 100;
const SLOW_DELAY_MS = 40;

const LEAST_DELAY_MS = 5;
const MOST_DELAY_MS = 50;

function delayMs(): number {
  return LEAST_DELAY_MS + Math.random() * (MOST_DELAY_MS - LEAST_DELAY_MS);
}

const LOST_SHARE = 0.1;
const RESEND_MS = 250;

/** Returns the delay of a retransmission: TCP sends lost packets again. */
function resendMs(): number {
  return Math.random() < LOST_SHARE ? RESEND_MS : 0;
}
