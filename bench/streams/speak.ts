import { setTimeout as pause } from 'node:timers/promises';

/** What is said on how many turns for how long: on each of them a delta every `everyMs`. */
export type Speech = { turns: number; everyMs: number; forMs: number };

/** The delta that is said on the turn of that number, and where it starts in the text. */
export type Say = (turn: number, delta: { offset: number; delta: string }) => void;

/** Stands before the moment in every delta, and nowhere else on the wire. */
export const MARK = '~';

const TICK_MS = 10;
const WORDS = ' and about as many words as a model says in half a second';
/** A moment in milliseconds since 1970 has so many digits. */
export const MOMENT_DIGITS = 13;
const LENGTH = MARK.length + MOMENT_DIGITS + WORDS.length;

/** Says deltas that hold the moment they are said at, spread evenly over time; answers how many on all turns together. */
export async function speak({ turns, everyMs, forMs }: Speech, say: Say): Promise<number> {
  const startedAt = performance.now();
  let said = 0;
  while (performance.now() - startedAt < forMs) {
    const owed = Math.floor(((performance.now() - startedAt) / everyMs) * turns);
    for (; said < owed; said += 1) {
      say(said % turns, { offset: Math.floor(said / turns) * LENGTH, delta: `${MARK}${Date.now()}${WORDS}` });
    }
    await pause(TICK_MS);
  }
  return said;
}
