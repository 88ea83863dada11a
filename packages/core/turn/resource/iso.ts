/** Returns a time as RFC 3339 in UTC with milliseconds. */
export function iso<T extends string | null>(time: T): T {
  return (time === null ? null : (cutToMs(time) ?? new Date(time).toISOString())) as T;
}

/** A time in UTC as PostgreSQL writes it, in a column or in JSON, with at least three digits after the second. */
const UTC_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d\.\d{3})\d*(?:\+00(?::00)?|Z)$/;

/**
 * Returns a UTC time of PostgreSQL without parsing it, since a long turn shows dozens of times. Null for other times.
 */
function cutToMs(time: string): string | null {
  const parts = UTC_TIME.exec(time);
  return parts && `${parts[1]}T${parts[2]}Z`;
}
