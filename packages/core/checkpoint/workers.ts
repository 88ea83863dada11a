import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';

/** A worker as others see it: its id, and how many steps of one provider's turns it runs at once. */
export type WorkerSeen = { id: string; concurrency: number };

const isGone = sql<boolean>`last_seen_at < now() - ${timing.workerGoneMs} * interval '1 millisecond'`;

/** Says that a worker is alive, and takes away those that have stopped saying so. */
export async function seeWorker(db: Db, { id, concurrency }: WorkerSeen): Promise<void> {
  await sql`
    with gone as (
      delete from workers
      where id in (select id from workers where ${isGone} and id <> ${id} for no key update skip locked)
    )
    insert into workers (id, concurrency) values (${id}, ${concurrency})
    on conflict (id) do update set last_seen_at = now()`.execute(db);
}

/** Takes away a worker that stops. */
export async function forgetWorker(db: Db, id: string): Promise<void> {
  await sql`delete from workers where id = ${id}`.execute(db);
}

/** Counts the workers that are alive; one that was killed counts for up to 15 s more. */
export async function countWorkers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from workers where not ${isGone}`.execute(db);
  return rows[0]?.count ?? 0;
}
