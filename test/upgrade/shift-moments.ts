import { msAgo } from '#test/harness/moments.ts';

/** Usage sums are kept by quarters of an hour, so a shift by whole quarters keeps them together. */
const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;

const MOMENT = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00(?::00)?)/g;
const SECONDS = /("(?:created|\w+_at)":\s*)(\d{10})\b/g;

/** Returns a distance in ms that puts a moment to about an hour ago. */
export function distanceToAnHourAgo(moment: string): number {
  return Math.floor((msAgo(HOUR_MS) - Date.parse(moment)) / QUARTER_MS) * QUARTER_MS;
}

/** Moves all moments of a text by a distance in ms: RFC 3339, the format of PostgreSQL, and seconds since 1970. */
export function shiftMoments(text: string, byMs: number): string {
  return text
    .replace(MOMENT, (moment) => {
      const shifted = new Date(Date.parse(`${moment.slice(0, 10)}T${moment.slice(11, 19)}Z`) + byMs).toISOString();
      return shifted.slice(0, 10) + moment[10] + shifted.slice(11, 19) + moment.slice(19);
    })
    .replace(SECONDS, (_, field: string, seconds: string) => `${field}${Number(seconds) + byMs / 1_000}`);
}
