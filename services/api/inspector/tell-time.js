const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration as one says it: `35 ms`, `1.24 s`, `3 min 12 s`, `2 h 5 min`.
 * @param {number} ms
 */
export function tellDuration(ms) {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`;
  if (ms < HOUR) return inTwo(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? inTwo(ms, [HOUR, 'h'], [MINUTE, 'min']) : inTwo(ms, [DAY, 'd'], [HOUR, 'h']);
}

/**
 * A round duration, without the zeros behind its point: `500 ms`, `2 s`.
 * @param {number} ms
 */
export function tellRoundDuration(ms) {
  return tellDuration(ms).replace(/\.?0+ s$/, ' s');
}

/**
 * How long ago something was, roughly: `now`, `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`.
 * @param {number} ms
 */
export function tellAge(ms) {
  if (ms < 2 * SECOND) return 'now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h ago` : `${Math.floor(ms / DAY)} d ago`;
}

/**
 * The time of day with milliseconds, where the reader is.
 * @param {string} time
 */
export function tellClock(time) {
  const at = new Date(time);
  return `${at.toLocaleTimeString('en-GB')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/**
 * The day and the time, where the reader is.
 * @param {string} time
 */
export function tellMoment(time) {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/**
 * @param {number} ms
 * @param {[number, string]} large
 * @param {[number, string]} small
 */
function inTwo(ms, [largeMs, large], [smallMs, small]) {
  const rest = Math.floor((ms % largeMs) / smallMs);
  return `${Math.floor(ms / largeMs)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}
