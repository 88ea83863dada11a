import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import { timing } from '../turn/timing.ts';
import type { Db, WorkerStep } from './tables.ts';

/** A worker as it says that it is alive: how many steps of one provider's turns it runs at once, and those it is on. */
export type LiveWorker = { id: string; concurrency: number; steps?: WorkerStep[] };

/** A worker as others see it. */
export type SeenWorker = Required<LiveWorker> & { startedAt: string; lastSeenAt: string };

const isGone = sql<boolean>`last_seen_at < now() - ${timing.workerGoneMs} * interval '1 millisecond'`;

/** Records that a worker is alive, and removes workers that have stopped saying so. */
export async function recordWorker(db: Db, { id, concurrency, steps = [] }: LiveWorker): Promise<void> {
  await write(
    db,
    sql`
    with gone as (
      delete from workers
      where id in (select id from workers where ${isGone} and id <> ${id} for no key update skip locked)
    )
    insert into workers (id, concurrency, steps) values (${id}, ${concurrency}, ${steps}::json)
    on conflict (id) do update set last_seen_at = now(), steps = excluded.steps`,
  );
}

/** Removes a worker that stops. */
export async function removeWorker(db: Db, id: string): Promise<void> {
  await write(db, sql`delete from workers where id = ${id}`);
}

/** The workers that are alive, the oldest first; one that was killed is among them for up to 15 s more. */
export async function listWorkers(db: Db): Promise<SeenWorker[]> {
  return await read(
    db,
    sql<SeenWorker>`
    select id, concurrency, steps, started_at::text as "startedAt", last_seen_at::text as "lastSeenAt"
    from workers where not ${isGone} order by started_at, id`,
  );
}

/** Counts the workers that are alive; one that was killed counts for up to 15 s more. */
export async function countWorkers(db: Db): Promise<number> {
  const rows = await read(
    db,
    sql<{ count: number }>`
    select count(*)::int as count from workers where not ${isGone}`,
  );
  return rows[0]?.count ?? 0;
}
