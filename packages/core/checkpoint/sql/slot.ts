import { type RawBuilder, sql } from 'kysely';

/** The condition that a step may be enqueued and run: its turn holds a slot, or needs no slot (R27). */
export const hasSlot = sql<boolean>`(work.slot is null or work.slot = 'held')`;

/**
 * The column of a turn that a commit makes due. A turn without a slot requests a slot, and is enqueued only with the
 * slot.
 */
export const requestSlot: RawBuilder<unknown> = sql`slot = case work.slot when 'none' then 'wanted' else work.slot end`;

/** The column of a waiting turn: it holds no slot (R27). */
export const releaseSlot: RawBuilder<unknown> = sql`slot = case when work.slot is not null then 'none' end`;

/** Returns the time when a worker should be on a due turn: `time` if the turn holds its slot, else its deadline. */
export function dueWithSlot(time: RawBuilder<unknown>): RawBuilder<Date> {
  return sql`case when ${hasSlot} then ${time} else coalesce(work.deadline_at, 'infinity') end`;
}
