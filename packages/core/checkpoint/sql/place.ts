import { type RawBuilder, sql } from 'kysely';

/** The condition that a step may be enqueued and run: its turn holds a slot, or needs no slot (R27). */
export const hasPlace = sql<boolean>`(work.place is null or work.place = 'held')`;

/**
 * The column of a turn that a commit makes due. A turn without a slot requests a slot, and is enqueued only with the
 * slot.
 */
export const askForPlace: RawBuilder<unknown> = sql`place = case work.place when 'none' then 'wanted' else work.place end`;

/** The column of a waiting turn: it holds no slot (R27). */
export const giveBackPlace: RawBuilder<unknown> = sql`place = case when work.place is not null then 'none' end`;

/** Returns the time when a worker should be on a due turn: `time` if the turn holds its slot, else its deadline. */
export function dueWithPlace(time: RawBuilder<unknown>): RawBuilder<Date> {
  return sql`case when ${hasPlace} then ${time} else coalesce(work.deadline_at, 'infinity') end`;
}
