import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../id.ts';
import type { TurnStatus } from '../../turn/turn.ts';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Db } from '../tables.ts';
import { relationOf, splitByStatus } from './active-turns.ts';
import { isSearch, notEntered, queryOf, readProgress, type SearchedFor, tokensOfTurn } from './search-query.ts';

/** A range of creation times in RFC 3339: from the first, up to but without the last. */
export type CreatedBetween = { createdAfter?: string; createdBefore?: string };

/** A filter of a project's turns. All given fields must match. `agent` is a name, or a version such as `support@7`. */
export type TurnFilter = SearchedFor &
  CreatedBetween & { statuses?: TurnStatus[]; conversationId?: string; agent?: string };

/** Returns a query for the distinct ids of a project's turns that callers find and that fit a filter. */
export async function matchingTurns(db: Db, project: string, filter: TurnFilter): Promise<RawBuilder<unknown>> {
  if (!needsEntries(filter)) {
    const selects = splitByStatus(filter).map(
      ({ from, part }) => sql`select turns.id from ${from} where ${lookedAt(project, part)}`,
    );
    return sql.join(selects, sql` union all `);
  }
  // Searches once and looks up each turn by its key. Otherwise PostgreSQL may search again for each turn.
  return sql`select turns.id
    from (select distinct id from (${await searchedTurns(db, project, filter)}) as each) as found
    cross join lateral (select * from ${relationOf(filter)} where turns.id = found.id offset 0) as turns
    where ${plainCondition(project, filter)}`;
}

/** Returns whether a filter finds turns by entries. Turns of a conversation are examined individually. */
export function needsEntries(filter: TurnFilter): boolean {
  return isSearch(filter) && filter.conversationId === undefined;
}

/** Returns the condition that examines each turn of the project or conversation, for a relation of `splitByStatus`. */
export function lookedAt(project: string, filter: TurnFilter): RawBuilder<boolean> {
  const plain = plainCondition(project, filter);
  return isSearch(filter) ? sql<boolean>`${plain} and ${fitsTokens(project, filter)}` : plain;
}

/**
 * Returns the condition for the fields of a filter that need no entry. It reads a relation with the name `turns` and
 * the statuses of the filter, from `splitByStatus` or `relationOf`.
 */
export function plainCondition(project: string, filter: TurnFilter): RawBuilder<boolean> {
  const { statuses, conversationId, errorCode, agent } = filter;
  // PostgreSQL plans a literal by its number of rows, so an index finds a rare status.
  const names = statuses && sql.join(statuses.map((status) => sql.lit(status)));
  return sql<boolean>`turns.project = ${project} and ${isVisible} and not ${isAddedItems}
    ${names ? sql`and turns.status in (${names})` : sql``}
    ${conversationId === undefined ? sql`` : sql`and turns.conversation_id = ${conversationId}`}
    ${agent === undefined ? sql`` : ranWith(agent)}
    ${errorCode === undefined ? sql`` : sql`and turns.error ->> 'code' = ${errorCode}`}
    ${createdCondition('turn', filter)}`;
}

/** Returns the condition for the agent of a turn. Each form has an index. */
export function ranWith(agent: string): RawBuilder<unknown> {
  const isAgent = agent.includes('@') ? sql`turns.agent` : sql`split_part(turns.agent, '@', 1)`;
  return sql`and turns.agent is not null and ${isAgent} = ${agent}`;
}

/** The maximum difference between the database's clock and the clocks of processes, which create ids. */
export const MOST_SKEW_MS = 120_000;

/** Returns the condition of a range of creation times. Ids sort by time, so they limit the rows to read. */
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

/** Returns the condition that the turn of a row has the tokens, looked up for this turn alone. */
export function fitsTokens(project: string, filter: SearchedFor): RawBuilder<boolean> {
  return sql<boolean>`${tokensOfTurn} @@ ${queryOf('turn', project, filter)}`;
}

/**
 * Returns a query for the ids of all turns with the tokens: from the index, and from the few turns without an entry.
 */
export async function searchedTurns(db: Db, project: string, filter: SearchedFor): Promise<RawBuilder<unknown>> {
  const fits = sql<boolean>`turns.project = ${project} and ${isVisible} and ${fitsTokens(project, filter)}`;
  return sql`
    select id from search_entries where tokens @@ ${queryOf('turn', project, filter)}
    union all
    ${notEntered(await readProgress(db), fits)}`;
}
