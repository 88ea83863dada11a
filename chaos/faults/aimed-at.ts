import { placeOf, type Strike } from '../schedule.ts';

/** The one of several that a strike aims at; with two of them, the one whose place the schedule has reserved. */
export function aimedAt<Part>(parts: Part[], strike: Pick<Strike, 'kind' | 'aim'>): Part {
  const half = placeOf(strike).endsWith('2') ? 1 : 0;
  const part = parts[half % parts.length];
  if (!part) throw new Error('There is nothing to aim at.');
  return part;
}
