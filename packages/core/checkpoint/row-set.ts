import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** What a statement is asked to do for one turn, as `json_to_recordset` reads it. */
export type TurnRowAsked = { turnId: string } & Record<string, unknown>;

/**
 * The parameter of a statement that does the same for each of these rows, one for a turn. Statements of one text that are
 * ready at the same moment are run as one, with the rows of all (`merge-statements.ts`): each row that is answered says in
 * `turnId` whose it is.
 */
export class RowSet {
  readonly turnIds: readonly string[];
  /** The rows as JSON, behind each other. */
  readonly #rows: readonly string[];

  private constructor(turnIds: readonly string[], rows: readonly string[]) {
    this.turnIds = turnIds;
    this.#rows = rows;
  }

  static of(...rows: TurnRowAsked[]): RowSet {
    return new RowSet(
      rows.map(({ turnId }) => turnId),
      rows.map((row) => JSON.stringify(row)),
    );
  }

  static join(sets: RowSet[]): RowSet {
    return new RowSet(
      sets.flatMap((set) => set.turnIds),
      sets.flatMap((set) => set.#rows),
    );
  }

  /** In characters. */
  get size(): number {
    return this.#rows.reduce((sum, row) => sum + row.length, 0);
  }

  /** What Postgres is sent. */
  toString(): string {
    return `[${this.#rows.join(',')}]`;
  }
}

/**
 * JSON that is to be kept as it is: as a text, of which the column makes `::json`. Within a row Postgres would turn each of
 * its strings into a text of its own, and refuse those that have a NUL or half a surrogate pair.
 */
export function asItIs(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Runs a statement for one turn, in a transaction or by itself; answers what it returned. */
export type RunFor<Row> = (db: Db, row: TurnRowAsked) => Promise<Row[]>;

/**
 * A statement that is asked for turns by rows of `columns` (and `turnId`), which `write` finds in the CTE it is given. Its
 * text never changes, so it is written once.
 */
export function statementFor<Row>(
  columns: RawBuilder<unknown>,
  write: (asked: RawBuilder<unknown>) => RawBuilder<Row>,
): RunFor<Row> {
  let written: CompiledQuery<Row> | undefined;
  return async (db, row) => {
    written ??= write(asked(columns)).compile(db);
    const parameters = written.parameters.map((value) => (value instanceof RowSet ? RowSet.of(row) : value));
    return (await db.executeQuery<Row>({ ...written, parameters })).rows;
  };
}

/**
 * Every id is like that: it makes the planner, which takes a function for a hundred rows, think of few, and look each turn
 * up by its id.
 */
function asked(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`asked as materialized (
      select * from json_to_recordset(${RowSet.of()}::text::json) as asked ("turnId" text, ${columns})
      where "turnId" like 'turn%'
    )`;
}
