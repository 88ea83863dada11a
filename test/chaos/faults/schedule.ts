import { makeRandom } from '../random.ts';
import { type FaultKind, faultKinds, isOnce } from './fault-kinds.ts';

/** A planned fault: when (milliseconds from the start of the load), what, for how long, and at which of several. */
export type ScheduledFault = {
  number: number;
  atMs: number;
  kind: FaultKind;
  lastsMs: number;
  /** From 0 up to, and without, 1: selects the worker, the API, the connections. */
  aim: number;
};

export type ScheduleOptions = { seed: number; faults: number; seconds: number; kinds: FaultKind[] };

/** How long a target recovers before the next fault. */
const REST_MS = 1_000;

/**
 * Spreads faults over a time; the same options give the same faults. Every kind comes once before any comes again, and a
 * target gets its next fault only when the one before is over, as far as the time allows.
 */
export function makeSchedule({ seed, faults, seconds, kinds }: ScheduleOptions): ScheduledFault[] {
  const random = makeRandom(seed);
  const waiting = deal(faults, kinds, random);
  const busyUntil = new Map<string, number>();
  return Array.from({ length: waiting.length }, (_, index) => {
    const atMs = Math.round(seconds * 1_000 * (0.04 + (0.9 * (index + random.next() * 0.8)) / faults));
    const aim = random.next();
    const isFree = (kind: FaultKind) => (busyUntil.get(targetOf({ kind, aim })) ?? 0) <= atMs;
    const [kind] = waiting.splice(Math.max(0, waiting.findIndex(isFree)), 1) as [FaultKind];
    const [least, most] = faultKinds[kind].lastsMs;
    const lastsMs = random.integer(least, most);
    busyUntil.set(targetOf({ kind, aim }), atMs + lastsMs + REST_MS);
    return { number: index + 1, atMs, kind, lastsMs, aim };
  });
}

/** The target of a fault; workers and APIs in halves, since the schedule does not know how many there are. */
export function targetOf({ kind, aim }: Pick<ScheduledFault, 'kind' | 'aim'>): string {
  const { target } = faultKinds[kind];
  return target === 'worker' || target === 'api' ? `${target}-${aim < 0.5 ? 1 : 2}` : target;
}

/** Decks of all kinds, each shuffled, one after the other. */
function deal(faults: number, kinds: FaultKind[], random: ReturnType<typeof makeRandom>): FaultKind[] {
  const cards = random.shuffle(kinds);
  const others = kinds.filter((kind) => !isOnce(kind));
  while (cards.length < faults && others.length > 0) cards.push(...random.shuffle(others));
  return cards.slice(0, faults);
}
