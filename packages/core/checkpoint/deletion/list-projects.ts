import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/**
 * Lists the projects with turns or conversations. An index finds each project in one step, however many rows it has.
 */
export async function listProjects(db: Db): Promise<string[]> {
  const query = sql<{ project: string }>`
    with recursive named (project) as (
      select least((select min(project) from turns), (select min(project) from conversations))
      union all
      select least((select min(turns.project) from turns where turns.project > named.project),
        (select min(conversations.project) from conversations where conversations.project > named.project))
      from named where named.project is not null
    )
    select project from named where project is not null`;
  const rows = await read(db, query);
  return rows.map(({ project }) => project);
}
