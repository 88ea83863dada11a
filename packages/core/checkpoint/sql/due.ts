import { type RawBuilder, sql } from 'kysely';

type Milliseconds = number | RawBuilder<number>;

/**
 * Returns the latest time when a worker should be on a turn: after `ms`, or at its deadline if that is earlier (R2).
 */
export function dueIn(ms: Milliseconds): RawBuilder<Date> {
  return sql`least(${inMs(ms)}, case when work.deadline_at > now() then work.deadline_at end)`;
}

/** The due time of a turn that does not wait for a worker: no worker looks before its deadline (R2). */
export const dueAtDeadline: RawBuilder<Date> = sql`coalesce(work.deadline_at, 'infinity')`;

/**
 * Returns the condition that a time is reached by the database's clock. A second early counts, since the queue's
 * clock may be fast.
 */
export function hasCome(column: 'retry_at' | 'next_attempt_at'): RawBuilder<boolean> {
  return sql`(${sql.ref(column)} is null or ${sql.ref(column)} <= now() + interval '1 second')`;
}

/** Returns a time from now by the database's clock, the only clock that counts. */
export function inMs(ms: Milliseconds): RawBuilder<Date> {
  return sql`now() + (${ms})::double precision * interval '1 millisecond'`;
}
