/** Milliseconds since 1970 as the clocks of a zone show them: what they would be if that were UTC. */
type LocalMs = number;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether there is a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a zone show at a moment, to the second. */
export function localTime(timeZone: string, at: number): LocalMs {
  const parts = formatOf(timeZone).formatToParts(at);
  const numberOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const [year, month, day] = [numberOf('year'), numberOf('month'), numberOf('day')];
  const [hour, minute, second] = [numberOf('hour'), numberOf('minute'), numberOf('second')];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The moment at which the clocks of a zone show a time. One that they skip comes at the jump, one that they show twice the first time
 * (contract-more: schedules).
 */
export function momentOf(timeZone: string, local: LocalMs): number {
  const offsets = [local - DAY_MS, local + DAY_MS].map((near) => localTime(timeZone, near) - wholeSecond(near));
  const candidates = offsets.map((offset) => local - offset).sort((one, other) => one - other);
  const found = candidates.find((at) => localTime(timeZone, at) === local);
  return found ?? jumpBetween(timeZone, Math.min(...candidates), Math.max(...candidates));
}

const DAY_MS = 86_400_000;

/** The first moment, to the second, with the offset of `after`; at `before` the offset is another. */
function jumpBetween(timeZone: string, before: number, after: number): number {
  const offsetAt = (at: number) => localTime(timeZone, at) - at;
  const last = offsetAt(after);
  let [from, to] = [before, after];
  while (to - from > 1_000) {
    const middle = wholeSecond((from + to) / 2);
    if (offsetAt(middle) === last) to = middle;
    else from = middle;
  }
  return to;
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
