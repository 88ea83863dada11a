import { type RawBuilder, sql } from 'kysely';
import { isTerminal, type TurnStatus } from '../../turn/turn.ts';

/**
 * The active turns, by the name `turns`, with the columns of a filter and of a search entry. Their keys and their
 * status come from `work`, so that its indexes find them. The statement then looks each request up by its id. A plain
 * join would leave that to Postgres, which reads the whole table `turns` if it expects many of its rows.
 */
export const activeTurns: RawBuilder<unknown> = sql`(
  select work.id, work.project, work.conversation_id, work.status, work.stored, work.started_at, hidden_at, created_at,
    completed_at, config, metadata, input, work.inputs, output, error
  from work cross join lateral (select * from turns where turns.id = work.id offset 0) as request) as turns`;

type ByStatus = { statuses?: TurnStatus[] };

/**
 * Splits a filter by its statuses. `from` is the relation in which an index finds the turns of a part. It has the
 * name `turns`. No turn fits two parts.
 */
export function splitByStatus<Filter extends ByStatus>(filter: Filter): { from: RawBuilder<unknown>; part: Filter }[] {
  if (!filter.statuses) return [{ from: sql`turns`, part: filter }];
  return filter.statuses.map((status) => ({
    from: isTerminal(status) ? sql`turns` : activeTurns,
    part: { ...filter, statuses: [status] },
  }));
}

/**
 * Returns the relation that has the statuses of a filter, for a statement that looks turns up by their ids. It has
 * the name `turns`.
 */
export function relationOf({ statuses = [] }: ByStatus): RawBuilder<unknown> {
  return statuses.every((status) => isTerminal(status)) ? sql`turns` : sql`turn_states as turns`;
}
