import { type RawBuilder, sql } from 'kysely';

/** Whether a step of a turn may be enqueued and worked: its turn has a place, or needs none (R27). */
export const hasPlace = sql<boolean>`(work.place is null or work.place = 'held')`;

/** The column of a turn that a commit makes due: one that holds no place asks for one, and is not enqueued before it has it. */
export const askForPlace: RawBuilder<unknown> = sql`place = case work.place when 'none' then 'wanted' else work.place end`;

/** The column of a turn that waits: it holds no place (R27). */
export const giveBackPlace: RawBuilder<unknown> = sql`place = case when work.place is not null then 'none' end`;

/** When a worker should be on a turn that is due: at `time` where it has its place, else no sooner than it has one. */
export function dueWithPlace(time: RawBuilder<unknown>): RawBuilder<Date> {
  return sql`case when ${hasPlace} then ${time} else coalesce(work.deadline_at, 'infinity') end`;
}
