import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Access, runAs } from '../../postgres/read-write.ts';
import { type InputRow, RowSet } from '../../postgres/row-set.ts';
import type { Db } from '../tables.ts';

export type TurnInput = { turnId: string } & InputRow;

/** A statement for one turn that runs in a transaction or alone, and returns its rows. */
export type RunStatement<Row> = (db: Db, row: TurnInput) => Promise<Row[]>;

type Statement<Row> = (input: RawBuilder<unknown>) => RawBuilder<Row>;

/**
 * Creates a statement that reads a turn for each row of `input` (`columns` and `turnId`). Each returned row names
 * its turn in `turnId`. The text never changes, so it is compiled once.
 */
export function readFor<Row>(columns: RawBuilder<unknown>, statement: Statement<Row>): RunStatement<Row> {
  return statementFor('read', columns, statement);
}

/**
 * Creates a statement that writes turns, in the same form. Statements of one moment are merged and committed
 * together.
 */
export function writeFor<Row>(columns: RawBuilder<unknown>, statement: Statement<Row>): RunStatement<Row> {
  return statementFor('write', columns, statement);
}

function statementFor<Row>(access: Access, columns: RawBuilder<unknown>, statement: Statement<Row>): RunStatement<Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, row) => {
    compiled ??= statement(inputRows(columns)).compile(db);
    const parameters = compiled.parameters.map((value) => (value instanceof RowSet ? RowSet.of('turnId', row) : value));
    return runAs(access, db, { ...compiled, parameters });
  };
}

/**
 * Returns a condition that every id of a turn fulfils. PostgreSQL expects a hundred rows of a function. With the
 * condition it expects few rows, and looks up each turn by its id.
 */
export function isTurnId(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${id} like 'turn%'`;
}

/**
 * Returns the CTE `input`. It is not `materialized`, so a statement that names it once reads the rows without a copy.
 */
function inputRows(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`input as (
      select * from json_to_recordset(${RowSet.of('turnId')}::text::json) as input ("turnId" text, ${columns})
      where ${isTurnId(sql`"turnId"`)}
    )`;
}

/**
 * Returns JSON as text, which the column stores unchanged as `::json`. Within a row PostgreSQL would convert each
 * string to text, and refuse strings with a NUL or half a surrogate pair.
 */
export function rawJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
