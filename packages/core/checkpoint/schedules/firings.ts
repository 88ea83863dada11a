import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { FiringError, Schedule } from '../../turn/schedule/schedule.ts';
import type { Db, Trx } from '../tables.ts';
import { columns } from './schedules.ts';

/** A schedule at its planned time, and the time by the database's clock when it was read. */
export type DueSchedule = Schedule & { nextAt: string; now: string };

/** Lists the due schedules by the database's clock, earliest first (R36). */
export async function listDueSchedules(db: Db, limit: number): Promise<DueSchedule[]> {
  const query = sql<DueSchedule>`
    select ${columns}, now()::text as now from schedules where next_at <= now() order by next_at limit ${limit}`;
  return read(db, query);
}

/**
 * Locks a due schedule for the firing of its next time. Returns false if that time was fired, if the schedule has
 * changed, or if another worker has locked it (R36).
 */
export async function lockDueSchedule(
  trx: Trx,
  { id, nextAt, revision }: Pick<DueSchedule, 'id' | 'nextAt' | 'revision'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from schedules where id = ${id} and next_at = ${nextAt} and revision = ${revision}
    for update skip locked`.execute(trx);
  return rows.length > 0;
}

/**
 * Returns whether a planned time of a locked schedule was fired before. After a step back of the database's clock, a
 * changed plan may reach that time again (R36).
 */
export async function hasFired(
  trx: Trx,
  { id, plannedAt }: { id: string; plannedAt: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    select from firings where schedule_id = ${id} and planned_at = ${plannedAt}::timestamptz`.execute(trx);
  return rows.length > 0;
}

/** The outcome of a planned time, and the next planned time. Without `plannedAt`, times are skipped. */
export type FiredSchedule = {
  id: string;
  plannedAt: string | null;
  nextAt: string | null;
  turnId?: string | null;
  error?: FiringError | null;
};

const KEPT = 20;

/** Saves the outcome of a planned time and the next planned time, in the transaction that started the turn (R36). */
export async function recordFiring(trx: Trx, { id, plannedAt, nextAt, turnId, error }: FiredSchedule): Promise<void> {
  await sql`update schedules set next_at = ${nextAt} where id = ${id}`.execute(trx);
  if (plannedAt === null) return;
  await sql`
    insert into firings (schedule_id, planned_at, turn_id, error)
    values (${id}, ${plannedAt}, ${turnId ?? null}, ${error ?? null}::json)`.execute(trx);
  await sql`
    delete from firings where schedule_id = ${id} and planned_at < (
      select planned_at from firings where schedule_id = ${id} order by planned_at desc offset ${KEPT - 1} limit 1)`.execute(
    trx,
  );
}
