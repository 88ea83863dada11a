import { type RawBuilder, sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './tables.ts';

/** A step that a worker runs, since a moment by the worker's clock. */
export type WorkerStep = { turnId: string; step: string; since: string };

/** A live worker: how many steps of a provider's turns it runs at once, its current steps, and its loaded tools. */
export type LiveWorker = { id: string; concurrency: number; steps?: WorkerStep[]; tools?: string[] };

/** A worker as other processes see it. */
export type SeenWorker = Required<Omit<LiveWorker, 'tools'>> & { startedAt: string; lastSeenAt: string };

const isGone = sql<boolean>`last_seen_at < now() - ${timing.workerGoneMs} * interval '1 millisecond'`;

/** Records that a worker is alive, and removes workers that no longer report. */
export async function recordWorker(db: Db, { id, concurrency, steps = [], tools = [] }: LiveWorker): Promise<void> {
  const statement = sql`
    with gone as (
      delete from workers
      where id = any(array(select id from workers where ${isGone} and id <> ${id} for no key update skip locked))
    )
    insert into workers (id, concurrency, steps, tools) values (${id}, ${concurrency}, ${steps}::json, ${texts(tools)})
    on conflict (id) do update set last_seen_at = now(), steps = excluded.steps`;
  await write(db, statement);
}

export async function removeWorker(db: Db, id: string): Promise<void> {
  await write(db, sql`delete from workers where id = ${id}`);
}

/** Lists the live workers, oldest first. A killed worker remains for up to 15 s. */
export async function listWorkers(db: Db): Promise<SeenWorker[]> {
  const query = sql<SeenWorker>`
    select id, concurrency, steps, started_at::text as "startedAt", last_seen_at::text as "lastSeenAt"
    from workers where not ${isGone} order by started_at, id`;
  return read(db, query);
}

/** The number of live workers, and the requested tools that no live worker has loaded. */
export type WorkerCount = { count: number; lacking: string[] };

/** Counts the live workers. A killed worker counts for up to 15 s. */
export async function countWorkers(db: Db, tools: string[] = []): Promise<WorkerCount> {
  const query = sql<WorkerCount>`
    with alive as (select tools from workers where not ${isGone})
    select (select count(*)::int from alive) as count, to_json(array(
      select wanted from unnest(${texts(tools)}) as wanted
      where not exists (select from alive where wanted = any(alive.tools))
    )) as lacking`;
  const [row] = await read(db, query);
  return row ?? { count: 0, lacking: [] };
}

/** Lists the distinct sets of tools that live workers have loaded, without empty sets. */
export async function listToolsets(db: Db): Promise<string[][]> {
  const query = sql<{ tools: string[] }>`
    select to_json(tools) as tools from workers where not ${isGone} and cardinality(tools) > 0 group by workers.tools`;
  const rows = await read(db, query);
  return rows.map(({ tools }) => tools);
}

function texts(values: string[]): RawBuilder<string[]> {
  return sql`array(select json_array_elements_text(${values}::json))`;
}
