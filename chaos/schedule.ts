import { type FaultKind, faultKinds, isOnce } from './fault-kinds.ts';
import { makeRandom } from './random.ts';

/** One fault to come: when (milliseconds from the start of the load), what, for how long, and at which of several. */
export type Strike = {
  number: number;
  atMs: number;
  kind: FaultKind;
  lastsMs: number;
  /** From 0 up to, and without, 1: says which worker, which API, which connections. */
  aim: number;
};

export type ScheduleWish = { seed: number; faults: number; seconds: number; kinds: FaultKind[] };

/** What a place needs to come to itself before it is struck again. */
const REST_MS = 1_000;

/**
 * Spreads faults over a time; the same wish gives the same faults. Every kind comes once before any comes again, and a
 * place is struck again only when the fault before is over, as far as the time allows.
 */
export function makeSchedule({ seed, faults, seconds, kinds }: ScheduleWish): Strike[] {
  const random = makeRandom(seed);
  const waiting = deal(faults, kinds, random);
  const busyUntil = new Map<string, number>();
  return Array.from({ length: waiting.length }, (_, index) => {
    const atMs = Math.round(seconds * 1_000 * (0.04 + (0.9 * (index + random.next() * 0.8)) / faults));
    const aim = random.next();
    const isFree = (kind: FaultKind) => (busyUntil.get(placeOf({ kind, aim })) ?? 0) <= atMs;
    const [kind] = waiting.splice(Math.max(0, waiting.findIndex(isFree)), 1) as [FaultKind];
    const [least, most] = faultKinds[kind].lastsMs;
    const lastsMs = random.integer(least, most);
    busyUntil.set(placeOf({ kind, aim }), atMs + lastsMs + REST_MS);
    return { number: index + 1, atMs, kind, lastsMs, aim };
  });
}

/** Where a fault strikes, as far as can be said without knowing how many workers and APIs there are: in halves. */
export function placeOf({ kind, aim }: Pick<Strike, 'kind' | 'aim'>): string {
  const { place } = faultKinds[kind];
  return place === 'worker' || place === 'api' ? `${place}-${aim < 0.5 ? 1 : 2}` : place;
}

/** Decks of all kinds, each shuffled, one after the other. */
function deal(faults: number, kinds: FaultKind[], random: ReturnType<typeof makeRandom>): FaultKind[] {
  const cards = random.shuffle(kinds);
  const others = kinds.filter((kind) => !isOnce(kind));
  while (cards.length < faults && others.length > 0) cards.push(...random.shuffle(others));
  return cards.slice(0, faults);
}
