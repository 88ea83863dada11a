import { type RawBuilder, sql } from 'kysely';
import { isTerminal, type TurnStatus } from '../../turn/turn.ts';

/**
 * The active turns, with the name `turns` and the columns of a filter and of a search entry. Keys and status are from
 * `work`, for its indexes. Each request is looked up by id: for a plain join, PostgreSQL may read the whole table
 * `turns`.
 */
export const activeTurns: RawBuilder<unknown> = sql`(
  select work.id, work.project, work.conversation_id, work.status, work.stored, work.started_at, hidden_at, created_at,
    completed_at, config, metadata, input, work.inputs, output, error, work.agent
  from work cross join lateral (select * from turns where turns.id = work.id offset 0) as request) as turns`;

type ByStatus = { statuses?: TurnStatus[] };

/**
 * Splits a filter by its statuses. `from` is the relation in which an index finds the turns of a part, with the name
 * `turns`. No turn fits two parts.
 */
export function splitByStatus<Filter extends ByStatus>(filter: Filter): { from: RawBuilder<unknown>; part: Filter }[] {
  if (!filter.statuses) return [{ from: sql`turns`, part: filter }];
  return filter.statuses.map((status) => ({
    from: isTerminal(status) ? sql`turns` : activeTurns,
    part: { ...filter, statuses: [status] },
  }));
}

/**
 * Returns the relation with the statuses of a filter, for a statement that looks up turns by id. Its name is `turns`.
 */
export function relationOf({ statuses = [] }: ByStatus): RawBuilder<unknown> {
  return statuses.every((status) => isTerminal(status)) ? sql`turns` : sql`turn_states as turns`;
}
