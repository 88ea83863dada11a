/** When a schedule starts its turns. @typedef {{ cron?: string | null, time_zone?: string | null, every_seconds?: number | null }} Plan */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/**
 * A plan in words, where it is a simple one: `Weekdays at 09:00 · Europe/Zurich`; else its cron as it is.
 * @param {Plan} plan
 */
export function planWords({ cron = null, time_zone: zone = null, every_seconds: seconds = null }) {
  if (cron === null) return `Every ${secondsWords(seconds ?? 0)}`;
  return [cronWords(cron) ?? cron, zone && zone !== 'UTC' ? zone : 'UTC'].join(' · ');
}

/** @param {number} seconds */
function secondsWords(seconds) {
  /** @type {[number, string][]} */
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  const [size, name] = units.find(([unit]) => seconds % unit === 0) ?? [1, 'second'];
  const count = seconds / size;
  return count === 1 ? name : `${count} ${name}s`;
}

/** @param {string} cron */
function cronWords(cron) {
  const [minute = '', hour = '', day, month, weekday = ''] = cron.trim().split(/\s+/);
  if (day !== '*' || month !== '*' || !/^\d+$/.test(minute)) return null;
  if (hour === '*' && weekday === '*') return `Every hour at :${minute.padStart(2, '0')}`;
  if (!/^\d+$/.test(hour)) return null;
  const days = daysWords(weekday);
  return days && `${days} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

/** @param {string} weekday */
function daysWords(weekday) {
  if (weekday === '*') return 'Every day';
  if (weekday === '1-5') return 'Weekdays';
  const day = DAYS[Number(weekday)];
  return /^\d$/.test(weekday) && day ? `${day}s` : null;
}
