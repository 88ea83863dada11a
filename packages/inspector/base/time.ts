const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration: `35 ms`, `1.24 s`, `3 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number) {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`;
  if (ms < HOUR) return inTwo(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? inTwo(ms, [HOUR, 'h'], [MINUTE, 'min']) : inTwo(ms, [DAY, 'd'], [HOUR, 'h']);
}

/** Formats a round duration without zeros after its point: `500 ms`, `2 s`. */
export function formatRoundDuration(ms: number) {
  return formatDuration(ms).replace(/(?:\.|(\.\d+?))0+ s$/, '$1 s');
}

export function formatElapsed(since: string) {
  const ms = serverNow() - Date.parse(since);
  return formatRoundDuration(Math.floor(Math.max(0, ms) / SECOND) * SECOND);
}

/** Formats the rough age of a time: `now`, `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`. */
export function formatAge(time: string) {
  const ms = serverNow() - Date.parse(time);
  if (ms < 2 * SECOND) return 'now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h ago` : `${Math.floor(ms / DAY)} d ago`;
}

/** Formats the local time of day, with milliseconds. */
export function formatTimeOfDay(time: string) {
  const at = new Date(time);
  return `${at.toLocaleTimeString('en-GB')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

export function formatDateTime(time: string) {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

function inTwo(ms: number, [largeMs, large]: [number, string], [smallMs, small]: [number, string]) {
  const rest = Math.floor((ms % largeMs) / smallMs);
  return `${Math.floor(ms / largeMs)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}

/** The lead of the server's clock over the local clock, in ms. Null before the first known time. */
let aheadMs: number | null = null;

/** Records a time of the server. The largest difference counts, because a time that travelled longer is older. */
export function noteServerTime(time: string | null | undefined) {
  const at = Date.parse(time ?? '');
  if (!Number.isNaN(at)) aheadMs = Math.max(aheadMs ?? Number.NEGATIVE_INFINITY, at - Date.now());
}

/** Returns the time on the server, in ms since 1970. */
export function serverNow() {
  return Date.now() + (aheadMs ?? 0);
}

/** Returns the time from one moment to another, or until now, in ms. */
export function msBetween(from: string, to: string | null) {
  return (to === null ? serverNow() : Date.parse(to)) - Date.parse(from);
}
