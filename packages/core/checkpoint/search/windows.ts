import { firstIdAt } from '../../id.ts';

/** A search window of ids: the beginnings of its ids after the prefix, and its lowest possible id. */
export type SearchWindow = { beginnings: string[]; from: string };

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** The tolerated clock skew of ids, in ms. */
const AHEAD_MS = 3_600_000;
/** The number of digits that find entries: 8 digits are one second, and each digit less is 32 times as long. */
const MOST_DIGITS = 8;
const FEWEST_DIGITS = 2;

/** Each window ends this many times further back than the window before. */
const GROWTH = 3;
/**
 * Windows end at a multiple of a second, 33 seconds, 17 minutes … At most, an end is a sixteenth of its distance too
 * far back.
 */
const PRECISION = 16;

/**
 * Returns windows of all ids below `before`, down to `lowest`, from the newest back. Each window is about twice as
 * long as all windows before it, so that a search for recent turns does not read years.
 */
export function windowsBefore(prefix: 'turn' | 'conv', before: string | undefined, lowest?: string): SearchWindow[] {
  const end = secondOf(before ?? firstIdAt(prefix, Date.now() + AHEAD_MS)) + 1;
  const bottom = lowest === undefined ? 0 : secondOf(lowest);
  const windows: SearchWindow[] = [];
  let to = end;
  for (let length = 1; to > bottom; length *= GROWTH) {
    const from = Math.max(bottom, roundedDown(end - length, length / PRECISION));
    windows.push({ beginnings: beginningsOf(from, to), from: `${prefix}_${digitsOf(from, MOST_DIGITS)}` });
    to = from;
  }
  return windows;
}

/** Returns the second, of 1,024 milliseconds, in the first digits of an id. */
function secondOf(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1).slice(0, MOST_DIGITS);
  return [...digits].reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
}

function digitsOf(number: number, count: number): string {
  let rest = number;
  let digits = '';
  for (let digit = 0; digit < count; digit += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** Rounds a second down to a multiple of the largest power of 32 up to `most`. */
function roundedDown(second: number, most: number): number {
  let unit = 1;
  while (unit * DIGITS.length <= most) unit *= DIGITS.length;
  return Math.floor(second / unit) * unit;
}

/** Returns the beginnings of the ids of all seconds from `from` to `to`, each as short as possible. */
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
