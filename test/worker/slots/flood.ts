import { type RawBuilder, sql } from 'kysely';
import { plainProject } from '#core/project.ts';
import { makeProjects } from '#services/process/projects.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

type Bounds = { weight?: number; maxActiveTurns?: number };

/** `alone`: only `a` is configured. */
type Opening = { redis?: boolean; alone?: boolean; a?: Bounds; b?: Bounds };

/**
 * Opens a harness with the projects `a` and `b`, and a client for each. A test may change `bounds` while the harness
 * runs, as a reload does.
 */
export async function openTwoProjects({ redis = false, alone = false, a = {}, b = {} }: Opening = {}) {
  const bounds = { a, b, alone };
  const configured = () => [
    { ...plainProject('a'), ...bounds.a },
    ...(bounds.alone ? [] : [{ ...plainProject('b'), ...bounds.b }]),
  ];
  const projects = {
    configured: () => makeProjects(configured()).configured(),
    find: (name: string) => makeProjects(configured()).find(name),
  };
  const env = { PAWL_API_KEYS: 'a:key-of-a,b:key-of-b', PAWL_WORKER_CONCURRENCY: '16' };
  const harness = await createHarness({ redis, projects, env });
  return Object.assign(harness, {
    bounds,
    a: apiClient(harness.url, 'key-of-a'),
    b: apiClient(harness.url, 'key-of-b'),
    slotsOf: (project: string) => countSlots(harness, project),
    countJobs: () => countJobs(harness),
  });
}

/** Inserts copies of a turn that a client has just started, as if the client had posted each. */
export async function flood({ db }: Pick<Harness, 'db'>, turnId: string, turns: number): Promise<void> {
  const id = (prefix: string) => sql`${`${prefix}_7${turnId.slice(-9)}`}::text || lpad(n::text, 16, '0')`;
  const copies = sql`generate_series(1, ${turns}::int) as n`;
  const request = sql`id, project, conversation_id, position, priority, config, input, metadata`;
  const work = sql`id, project, conversation_id, position, priority, stored, at_head, provider, model, due_at, last_event, slot`;
  const own = sql`json_build_object('id', ${id('turn')}, 'conversation_id', ${id('conv')}, 'slot', 'wanted', 'due_at', 'infinity')`;
  const copy = (table: string, columns: RawBuilder<unknown>) => sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from (
      select (json_populate_record(one, ${own})).* from ${sql.table(table)} as one, ${copies} where one.id = ${turnId}) as copy`;
  await sql`insert into conversations select (json_populate_record(one, json_build_object('id', ${id('conv')}))).*
    from conversations as one, ${copies} where one.id = (select conversation_id from turns where id = ${turnId})`.execute(
    db,
  );
  await copy('turns', request).execute(db);
  await copy('work', work).execute(db);
  await sql`insert into events (turn_id, number, id, type)
    select ${id('turn')}, 1, 'evt_' || n || ${turnId}, 'turn.queued' from ${copies}`.execute(db);
}

async function countSlots({ db, parts }: Pick<Harness, 'db' | 'parts'>, project: string): Promise<number> {
  await parts.admission.settled();
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from work where project = ${project} and slot = 'held'`.execute(db);
  return rows[0]?.count ?? 0;
}

async function countJobs({ parts }: Pick<Harness, 'parts'>): Promise<number> {
  await parts.admission.settled();
  const { waiting = 0, prioritized = 0, delayed = 0 } = await parts.jobQueue.count(['turns-openai', 'anytime']);
  return waiting + prioritized + delayed;
}
