import { setTimeout as pause } from 'node:timers/promises';

/** On how many turns deltas are sent, and for how long: one every `everyMs` on each of them. */
export type DeltaLoad = { turns: number; everyMs: number; forMs: number };

/** Sends the delta on the turn of that number; `offset` is where it starts in the text. */
export type SendDelta = (turn: number, delta: { offset: number; delta: string }) => void;

/** Stands before the timestamp in every delta, and nowhere else in a stream. */
export const MARK = '~';

const TICK_MS = 10;
const TEXT = ' and about as many words as a model says in half a second';
/** The digits of milliseconds since 1970. */
export const TIMESTAMP_DIGITS = 13;
const LENGTH = MARK.length + TIMESTAMP_DIGITS + TEXT.length;

/** Sends deltas with the time of their sending, spread evenly over time; returns how many on all turns together. */
export async function sendDeltas({ turns, everyMs, forMs }: DeltaLoad, send: SendDelta): Promise<number> {
  const startedAt = performance.now();
  let sent = 0;
  while (performance.now() - startedAt < forMs) {
    const due = Math.floor(((performance.now() - startedAt) / everyMs) * turns);
    for (; sent < due; sent += 1) {
      send(sent % turns, { offset: Math.floor(sent / turns) * LENGTH, delta: `${MARK}${Date.now()}${TEXT}` });
    }
    await pause(TICK_MS);
  }
  return sent;
}
