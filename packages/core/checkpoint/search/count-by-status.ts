import { type RawBuilder, sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import { TURN_STATUSES, type TurnStatus } from '../../turn/turn.ts';
import type { Db } from '../tables.ts';
import { splitByStatus } from './active-turns.ts';
import { isSearch } from './search-query.ts';
import { fitsTokens, plainCondition, type TurnFilter } from './turn-filter.ts';

/** The number of turns of each status, and the statuses that may have more. */
export type StatusCounts = { counts: Record<TurnStatus, number>; atLeast: TurnStatus[] };

/**
 * Counts a project's turns that fit a filter, by status, up to `most` each. If the filter has words, metadata or a
 * model, examines only the `most` newest turns that fit its other fields.
 */
export async function countByStatus(
  db: Db,
  project: string,
  { most, ...filter }: Omit<TurnFilter, 'statuses'> & { most: number },
): Promise<StatusCounts> {
  const asked = isSearch(filter) ? ofNewest(project, filter, most) : ofEach(project, filter, most);
  const [row] = await read(db, sql<Record<TurnStatus, number> & { looked: number }>`select ${asked}`);
  const counts = Object.fromEntries(TURN_STATUSES.map((status) => [status, row?.[status] ?? 0]));
  const isCut = (status: TurnStatus) => (isSearch(filter) ? (row?.looked ?? 0) : (counts[status] ?? 0)) >= most;
  return { counts: counts as StatusCounts['counts'], atLeast: TURN_STATUSES.filter(isCut) };
}

function ofEach(project: string, filter: TurnFilter, most: number): RawBuilder<unknown> {
  const counts = splitByStatus({ ...filter, statuses: [...TURN_STATUSES] }).map(({ from, part }, index) => {
    const counted = sql`select from ${from} where ${plainCondition(project, part)} limit ${most}`;
    return sql`(select count(*)::int from (${counted}) as counted) as ${sql.ref(`${TURN_STATUSES[index]}`)}`;
  });
  return sql.join(counts);
}

function ofNewest(project: string, filter: TurnFilter, most: number): RawBuilder<unknown> {
  const fitting = TURN_STATUSES.map(
    (status) => sql`(count(*) filter (where fits and status = ${status}))::int as ${sql.ref(status)}`,
  );
  return sql`count(*)::int as looked, ${sql.join(fitting)} from (
    select status, ${fitsTokens(project, filter)} as fits from (
      select * from turn_states as turns where ${plainCondition(project, filter)} order by id desc limit ${most}) as turns) as looked`;
}
