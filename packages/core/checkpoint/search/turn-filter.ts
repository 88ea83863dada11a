import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../id.ts';
import type { TurnStatus } from '../../turn/turn.ts';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Db } from '../tables.ts';
import { relationOf, splitByStatus } from './active-turns.ts';
import { isSearch, notEntered, queryOf, readProgress, type SearchedFor, tokensOfTurn } from './search-query.ts';

/** When what is looked for was created: times in RFC 3339. The first is in the range, the last is not. */
export type CreatedBetween = { createdAfter?: string; createdBefore?: string };

/** Which turns of a project are meant: all that is given has to hold. */
export type TurnFilter = SearchedFor & CreatedBetween & { statuses?: TurnStatus[]; conversationId?: string };

/** A select of the ids of all turns of a project that its callers find and that fit a filter, each once. */
export async function matchingTurns(db: Db, project: string, filter: TurnFilter): Promise<RawBuilder<unknown>> {
  if (!needsEntries(filter)) {
    const selects = splitByStatus(filter).map(
      ({ from, part }) => sql`select turns.id from ${from} where ${lookedAt(project, part)}`,
    );
    return sql.join(selects, sql` union all `);
  }
  // What is searched for is found once, and each turn of it by its key: Postgres may find it anew for each turn otherwise.
  return sql`select turns.id
    from (select distinct id from (${await searchedTurns(db, project, filter)}) as each) as found
    cross join lateral (select * from ${relationOf(filter)} where turns.id = found.id offset 0) as turns
    where ${plainCondition(project, filter)}`;
}

/** Whether turns are found by entries: those of one conversation are looked at one by one. */
export function needsEntries(filter: TurnFilter): boolean {
  return isSearch(filter) && filter.conversationId === undefined;
}

/** A condition on the relation of `splitByStatus` that looks at each turn of the project, or of its conversation. */
export function lookedAt(project: string, filter: TurnFilter): RawBuilder<boolean> {
  const plain = plainCondition(project, filter);
  return isSearch(filter) ? sql<boolean>`${plain} and ${fitsTokens(project, filter)}` : plain;
}

/**
 * The condition for each part of a filter that needs no entry. It looks at columns of a relation with the name
 * `turns` that has the statuses of the filter. `splitByStatus` and `relationOf` return such relations.
 */
export function plainCondition(project: string, filter: TurnFilter): RawBuilder<boolean> {
  const { statuses, conversationId, errorCode } = filter;
  // Postgres plans a literal by how many rows have it: a rare status is found by its own index.
  const names = statuses && sql.join(statuses.map((status) => sql.lit(status)));
  return sql<boolean>`turns.project = ${project} and ${isVisible} and not ${isAddedItems}
    ${names ? sql`and turns.status in (${names})` : sql``}
    ${conversationId === undefined ? sql`` : sql`and turns.conversation_id = ${conversationId}`}
    ${errorCode === undefined ? sql`` : sql`and turns.error ->> 'code' = ${errorCode}`}
    ${createdCondition('turn', filter)}`;
}

/** How far the clocks of processes may differ, which make ids, from that of the database. */
export const MOST_SKEW_MS = 120_000;

/** Ids sort by time, so they bound what is looked through. */
export function createdCondition(
  prefix: 'turn' | 'conv',
  { createdAfter, createdBefore }: CreatedBetween,
): RawBuilder<unknown> {
  const row = sql.raw(prefix === 'turn' ? 'turns' : 'conversations');
  const id = (time: string, skewMs: number) => firstIdAt(prefix, Date.parse(time) + skewMs);
  return sql`
    ${createdAfter === undefined ? sql`` : sql`and ${row}.created_at >= ${createdAfter}::timestamptz and ${row}.id >= ${id(createdAfter, -MOST_SKEW_MS)}`}
    ${createdBefore === undefined ? sql`` : sql`and ${row}.created_at < ${createdBefore}::timestamptz and ${row}.id < ${id(createdBefore, MOST_SKEW_MS)}`}`;
}

/** Whether the turn of a row has the tokens: looked up for this turn alone. */
export function fitsTokens(project: string, filter: SearchedFor): RawBuilder<boolean> {
  return sql<boolean>`${tokensOfTurn} @@ ${queryOf('turn', project, filter)}`;
}

/** The ids of all turns that have the tokens: by their index, and of the few that are not entered yet by looking at them. */
export async function searchedTurns(db: Db, project: string, filter: SearchedFor): Promise<RawBuilder<unknown>> {
  const fits = sql<boolean>`turns.project = ${project} and ${isVisible} and ${fitsTokens(project, filter)}`;
  return sql`
    select id from search_entries where tokens @@ ${queryOf('turn', project, filter)}
    union all
    ${notEntered(await readProgress(db), fits)}`;
}
