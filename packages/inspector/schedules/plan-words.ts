import type { Schedule } from '#client/connect-pawl.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A plan in words, if it is simple: `Weekdays at 09:00 · Europe/Zurich`. Any other cron expression stays as it is. */
export function planWords({ cron, time_zone: zone, every_seconds: seconds }: Omit<Schedule, 'turn'>): string {
  return cron === null ? `Every ${secondsWords(seconds ?? 0)}` : `${cronWords(cron) ?? cron} · ${zone ?? 'UTC'}`;
}

const UNITS: [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

function secondsWords(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, 'second'];
  return seconds === size ? name : `${seconds / size} ${name}s`;
}

function cronWords(cron: string): string | null {
  const [minute = '', hour = '', day, month, weekday = ''] = cron.trim().split(/\s+/);
  if (day !== '*' || month !== '*' || !/^\d+$/.test(minute)) return null;
  if (hour === '*' && weekday === '*') return `Every hour at :${minute.padStart(2, '0')}`;
  const days = daysWords(weekday);
  if (!/^\d+$/.test(hour) || days === null) return null;
  return `${days} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

function daysWords(weekday: string): string | null {
  if (weekday === '*') return 'Every day';
  if (weekday === '1-5') return 'Weekdays';
  const day = /^\d$/.test(weekday) ? DAYS[Number(weekday)] : undefined;
  return day === undefined ? null : `${day}s`;
}
