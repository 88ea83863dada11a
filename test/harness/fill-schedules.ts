import { sql } from 'kysely';
import { MAX_SCHEDULES } from '#core/checkpoint/schedules/schedules.ts';
import type { Db } from '#core/checkpoint/tables.ts';

/** Copies a schedule until its project may have only `left` more. */
export async function fillSchedules(db: Db, id: string, left: number): Promise<void> {
  await sql`
    insert into schedules (id, project, turn, cron, time_zone, every_seconds, since, if_missed, created_at)
    select id || number, project, turn, cron, time_zone, every_seconds, since, if_missed, created_at
    from schedules, generate_series(1, ${MAX_SCHEDULES - left - 1}::int) as number where id = ${id}`.execute(db);
}
