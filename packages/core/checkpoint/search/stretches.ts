import { firstIdAt } from '../../id.ts';

/** A stretch of ids: how each of them begins behind its prefix, and the lowest that one could be. */
export type Stretch = { beginnings: string[]; from: string };

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Ids that a clock has made which is ahead. */
const AHEAD_MS = 3_600_000;
/** By how many digits entries are found: 8 are those of one second, one digit less is 32 times as long. */
const MOST_DIGITS = 8;
const FEWEST_DIGITS = 2;

/** How many times as long the way to the end of a stretch is as that to the end of the stretch before. */
const GROWTH = 3;
/** Stretches end where a second, 33 of them, 17 minutes … end, and so by a sixteenth of the way too late at most. */
const PRECISION = 16;

/**
 * All ids below one, or all there are, down to a lowest, in stretches from the newest to the oldest. What is found in the last days
 * is found without a look at the years: each stretch is about twice as long as all before it, whatever the time is.
 */
export function stretchesBefore(prefix: 'turn' | 'conv', before: string | undefined, lowest?: string): Stretch[] {
  const end = secondOf(before ?? firstIdAt(prefix, Date.now() + AHEAD_MS)) + 1;
  const bottom = lowest === undefined ? 0 : secondOf(lowest);
  const stretches: Stretch[] = [];
  let to = end;
  for (let length = 1; to > bottom; length *= GROWTH) {
    const from = Math.max(bottom, roundedDown(end - length, length / PRECISION));
    stretches.push({ beginnings: beginningsOf(from, to), from: `${prefix}_${digitsOf(from, MOST_DIGITS)}` });
    to = from;
  }
  return stretches;
}

/** Seconds, of 1,024 milliseconds each, as an id tells them in its first digits. */
function secondOf(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1).slice(0, MOST_DIGITS);
  return [...digits].reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
}

function digitsOf(number: number, count: number): string {
  let rest = number;
  let digits = '';
  for (let place = 0; place < count; place += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** A second from which at least so many begin alike. */
function roundedDown(second: number, most: number): number {
  let unit = 1;
  while (unit * DIGITS.length <= most) unit *= DIGITS.length;
  return Math.floor(second / unit) * unit;
}

/** What the ids of all seconds from one up to another begin with, each with as few digits as will do. */
function beginningsOf(from: number, to: number): string[] {
  const beginnings: string[] = [];
  for (let second = from; second < to; ) {
    let count = MOST_DIGITS;
    let unit = 1;
    while (count > FEWEST_DIGITS && second % (unit * DIGITS.length) === 0 && second + unit * DIGITS.length <= to) {
      unit *= DIGITS.length;
      count -= 1;
    }
    beginnings.push(digitsOf(second / unit, count));
    second += unit;
  }
  return beginnings;
}
