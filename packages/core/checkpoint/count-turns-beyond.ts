import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A project and how many turns it has, up to one more than is counted. */
export type ProjectTurns = { project: string; turns: number };

const MOST_PROJECTS = 100;

/** Counted up to here, so that a start costs the same however old the database is. */
export const MOST_COUNTED = 1_000;

/** The projects that have turns and are none of `known`, with how many; a hundred projects are looked at. */
export async function countTurnsBeyond(db: Db, known: string[]): Promise<ProjectTurns[]> {
  const { rows } = await sql<ProjectTurns>`
    with recursive found as (
      select 1 as place, (select project from turns order by project limit 1) as project
      union all
      select place + 1, (select project from turns where project > found.project order by project limit 1)
      from found where found.project is not null and place < ${MOST_PROJECTS}
    )
    select project, (
      select count(*)::int from (select from turns where turns.project = found.project limit ${MOST_COUNTED + 1}) as counted
    ) as turns
    from found where project is not null and project not in (select json_array_elements_text(${known}::json))`.execute(
    db,
  );
  return rows;
}
