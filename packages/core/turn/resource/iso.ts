/** A time as RFC 3339 in UTC with milliseconds. */
export function iso<T extends string | null>(time: T): T {
  return (time === null ? null : new Date(time).toISOString()) as T;
}
