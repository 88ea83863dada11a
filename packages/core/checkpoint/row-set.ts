import { type RawBuilder, sql } from 'kysely';

/** What a statement is asked to do for one turn, as `json_to_recordset` reads it. */
export type TurnRowAsked = { turnId: string } & Record<string, unknown>;

/**
 * The parameter of a statement that does the same for each of these rows, one for a turn. Statements of one text that are
 * ready at the same moment are run as one, with the rows of all (`merge-statements.ts`): each row that is answered says in
 * `turnId` whose it is.
 */
export class RowSet {
  readonly rows: readonly TurnRowAsked[];

  constructor(rows: readonly TurnRowAsked[]) {
    this.rows = rows;
  }

  toJSON(): readonly TurnRowAsked[] {
    return this.rows;
  }
}

/**
 * The CTE `asked` of such a statement, for one turn; `columns` are those of its row besides `turnId`. Every id is like that:
 * it makes the planner, which takes a function for a hundred rows, think of few, and look each turn up by its id.
 */
export function askedFor(row: TurnRowAsked, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`asked as materialized (
      select * from json_to_recordset(${new RowSet([row])}::json) as asked ("turnId" text, ${columns})
      where "turnId" like 'turn%'
    )`;
}
