import { makeRandom } from '../random.ts';
import { type FaultKind, faultKinds, isOnce } from './fault-kinds.ts';

/** A planned fault: its time (milliseconds from the start of the load), kind, duration, and target among several. */
export type ScheduledFault = {
  number: number;
  atMs: number;
  kind: FaultKind;
  lastsMs: number;
  /** A number from 0 to below 1. It selects the worker, the API, or the connections. */
  aim: number;
};

export type ScheduleOptions = { seed: number; faults: number; seconds: number; kinds: FaultKind[] };

/** The time in which a target recovers before the next fault. */
const REST_MS = 1_000;

/**
 * Spreads faults over a time. The same options give the same faults. Every kind occurs once before any kind repeats.
 * If the time allows, a target gets its next fault after the previous fault is over.
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

/** Returns the target of a fault. Workers and APIs are in halves, since the schedule does not know their number. */
export function targetOf({ kind, aim }: Pick<ScheduledFault, 'kind' | 'aim'>): string {
  const { target } = faultKinds[kind];
  return target === 'worker' || target === 'api' ? `${target}-${aim < 0.5 ? 1 : 2}` : target;
}

/** Deals decks of all kinds, each shuffled. */
function deal(faults: number, kinds: FaultKind[], random: ReturnType<typeof makeRandom>): FaultKind[] {
  const cards = random.shuffle(kinds);
  const others = kinds.filter((kind) => !isOnce(kind));
  while (cards.length < faults && others.length > 0) cards.push(...random.shuffle(others));
  return cards.slice(0, faults);
}
