/** A local time, in the milliseconds since 1970 at which a clock in UTC shows the same. */
type LocalMs = number;

const formats = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the local time of a zone at a moment, to the second. */
export function localTime(timeZone: string, at: number): LocalMs {
  const parts = formatOf(timeZone).formatToParts(at);
  const numberOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const [year, month, day] = [numberOf('year'), numberOf('month'), numberOf('day')];
  const [hour, minute, second] = [numberOf('hour'), numberOf('minute'), numberOf('second')];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * Returns the moments at which the clocks of a zone show a time, earliest first. For a skipped time, returns the
 * moment of the jump.
 */
export function momentsOf(timeZone: string, local: LocalMs): number[] {
  const offsets = [local - DAY_MS, local + DAY_MS].map((near) => offsetAt(timeZone, near));
  const candidates = [...new Set(offsets)].map((offset) => local - offset).sort((one, other) => one - other);
  const moments = candidates.filter((at) => localTime(timeZone, at) === local);
  return moments.length ? moments : [jumpBetween(timeZone, Math.min(...candidates), Math.max(...candidates))];
}

/** Returns the moment within a day after `at` at which the clocks of a zone go back, if they do. */
export function nextJumpBack(timeZone: string, at: number): number | null {
  const [before, after] = [wholeSecond(at), wholeSecond(at) + DAY_MS];
  if (offsetAt(timeZone, after) >= offsetAt(timeZone, before)) return null;
  return jumpBetween(timeZone, before, after);
}

const DAY_MS = 86_400_000;

/** Returns the first moment, to the second, with the offset of `after`. The offset at `before` differs. */
function jumpBetween(timeZone: string, before: number, after: number): number {
  const last = offsetAt(timeZone, after);
  let [from, to] = [before, after];
  while (to - from > 1_000) {
    const middle = wholeSecond((from + to) / 2);
    if (offsetAt(timeZone, middle) === last) to = middle;
    else from = middle;
  }
  return to;
}

function offsetAt(timeZone: string, at: number): number {
  return localTime(timeZone, at) - wholeSecond(at);
}

function wholeSecond(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(timeZone, format);
  return format;
}
