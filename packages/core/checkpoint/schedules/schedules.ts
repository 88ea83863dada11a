import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import type { ListedSchedule } from '../../turn/resource/schedule.ts';
import type { Schedule } from '../../turn/schedule/schedule.ts';
import { isVisible } from '../sql/visible.ts';
import type { Db, Trx } from '../tables.ts';

/** A schedule to save. Its times are from the database's clock (`readClock`). */
export type NewSchedule = Omit<Schedule, 'revision'>;

/** Returns the time of the database's clock to the millisecond. No other clock decides when a schedule fires. */
export async function readClock(trx: Trx): Promise<string> {
  const { rows } = await sql<{ now: string }>`select date_trunc('milliseconds', now())::text as now`.execute(trx);
  return new Date(rows[0]?.now ?? '').toISOString();
}

/** The maximum of schedules in a project, since workers check each schedule as long as it exists. */
export const MAX_SCHEDULES = 1_000;

/** Saves a schedule. Returns false if the project has its maximum of schedules, even if several are created at once. */
export async function createSchedule(trx: Trx, schedule: NewSchedule): Promise<boolean> {
  const { id, project, keyId, turn, conversationId, createdAt } = schedule;
  await sql`select pg_advisory_xact_lock(hashtextextended('pawl: schedules of ' || ${project}, 0))`.execute(trx);
  const { rows } = await sql`
    insert into schedules (id, project, key_id, turn, conversation_id, created_at, cron, time_zone, every_seconds, since,
      if_missed, next_at)
    select ${id}, ${project}, ${keyId}, ${turn}::json, ${conversationId}, ${createdAt}::timestamptz, ${schedule.cron},
      ${schedule.timeZone}, ${schedule.everySeconds}::int, ${schedule.since}::timestamptz, ${schedule.ifMissed},
      ${schedule.nextAt}::timestamptz
    where (select count(*) from schedules where project = ${project}) < ${MAX_SCHEDULES}
    returning id`.execute(trx);
  return rows.length > 0;
}

/** The fields that a change replaces: the plan, the turn, and the next time. */
export type ChangedSchedule = Omit<NewSchedule, 'id' | 'project' | 'keyId' | 'createdAt'>;

/**
 * Locks a schedule until the commit and returns it. A firing waits, or has committed before (R36). Returns undefined
 * if the project has no such schedule.
 */
export async function lockSchedule(trx: Trx, project: string, id: string): Promise<Schedule | undefined> {
  const { rows } = await sql<Schedule>`
    select ${columns} from schedules where id = ${id} and project = ${project} for update`.execute(trx);
  return rows[0];
}

/** Changes a schedule that the caller has locked. The new revision makes earlier reads by workers invalid (R36). */
export async function changeSchedule(trx: Trx, id: string, changed: ChangedSchedule): Promise<void> {
  await sql`
    update schedules set revision = revision + 1, cron = ${changed.cron}, time_zone = ${changed.timeZone},
      every_seconds = ${changed.everySeconds}::int, since = ${changed.since}, turn = ${changed.turn}::json,
      conversation_id = ${changed.conversationId}, if_missed = ${changed.ifMissed}, next_at = ${changed.nextAt}
    where id = ${id}`.execute(trx);
}

/** Deletes a schedule with its firings, but not its turns. Returns false if the project has no such schedule. */
export async function deleteSchedule(db: Db, project: string, id: string): Promise<boolean> {
  const rows = await write(db, sql`delete from schedules where id = ${id} and project = ${project} returning id`);
  return rows.length > 0;
}

/** Finds a schedule of this project, with its last firings. */
export async function findSchedule(db: Db, project: string, id: string): Promise<ListedSchedule | undefined> {
  const query = sql<ListedSchedule>`select ${shown} from schedules where id = ${id} and project = ${project}`;
  const rows = await read(db, query);
  return rows[0];
}

/** Lists a project's schedules, newest first. `before` is the last id of the previous page. */
export async function listSchedules(
  db: Db,
  project: string,
  { before, limit }: { before?: string; limit: number },
): Promise<ListedSchedule[]> {
  const behind = before === undefined ? sql`` : sql`and id < ${before}`;
  const query = sql<ListedSchedule>`
    select ${shown} from schedules where project = ${project} ${behind} order by id desc limit ${limit}`;
  return read(db, query);
}

export const columns = sql`id, project, key_id as "keyId", cron, time_zone as "timeZone", every_seconds as "everySeconds",
  since::text as since, turn, conversation_id as "conversationId", if_missed as "ifMissed", next_at::text as "nextAt", revision,
  created_at::text as "createdAt"`;

const shown = sql`${columns}, now()::text as now, (
    select coalesce(json_agg(json_build_object('plannedAt', planned_at, 'turnId', turn_id, 'error', firings.error,
      'turnStatus', turns.status) order by planned_at desc), '[]')
    from firings left join turn_states as turns on turns.id = turn_id and ${isVisible}
    where firings.schedule_id = schedules.id) as last`;
