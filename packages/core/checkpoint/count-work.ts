import { sql } from 'kysely';
import type { Db } from './database.ts';

/** What is under way: active turns by status, how many of them are late, deliveries still to be made. */
export type WorkCounts = { turns: Record<string, number>; late: number; deliveries: number };

/** Counts over the rows that owe work only, so that it costs the same however old the database is. */
export async function countWork(db: Db): Promise<WorkCounts> {
  const { rows } = await sql<{ status: string; count: number; late: number }>`
    select status, count(*)::int as count, (count(*) filter (where due_at < now()))::int as late
    from turns where due_at is not null group by status`.execute(db);
  const pending = await sql<{ count: number }>`
    select count(*)::int as count from deliveries where due_at is not null`.execute(db);
  return {
    turns: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    late: rows.reduce((sum, { late }) => sum + late, 0),
    deliveries: pending.rows[0]?.count ?? 0,
  };
}
