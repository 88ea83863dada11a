import { type RawBuilder, sql } from 'kysely';

type Milliseconds = number | RawBuilder<number>;

/** When a worker should be on a turn, at the latest: after `ms`, or at its deadline if that comes first (R2). */
export function dueIn(ms: Milliseconds): RawBuilder<Date> {
  return sql`least(${inMs(ms)}, case when work.deadline_at > now() then work.deadline_at end)`;
}

/** For a turn that waits for something else than a worker: none need look before its deadline (R2). */
export const dueAtDeadline: RawBuilder<Date> = sql`coalesce(work.deadline_at, 'infinity')`;

/**
 * Whether a time has come, by the database's clock; a second early is in time, since the queue's clock may be ahead.
 */
export function hasCome(column: 'retry_at' | 'next_attempt_at'): RawBuilder<boolean> {
  return sql`(${sql.ref(column)} is null or ${sql.ref(column)} <= now() + interval '1 second')`;
}

/** A time from now by the database's clock, the only one that counts. */
export function inMs(ms: Milliseconds): RawBuilder<Date> {
  return sql`now() + (${ms})::double precision * interval '1 millisecond'`;
}
