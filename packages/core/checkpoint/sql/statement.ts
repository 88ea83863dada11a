import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Access, runAs } from '../../postgres/read-write.ts';
import { type InputRow, RowSet } from '../../postgres/row-set.ts';
import type { Db } from '../tables.ts';

/** The input of a statement for one turn. */
export type TurnInput = { turnId: string } & InputRow;

/** Runs a statement for one turn, in a transaction or by itself; answers what it returned. */
export type RunStatement<Row> = (db: Db, row: TurnInput) => Promise<Row[]>;

/** A statement over the CTE `input`, which the function is given. */
type Statement<Row> = (input: RawBuilder<unknown>) => RawBuilder<Row>;

/**
 * A statement that reads turns, one for each row of `input` (`columns` and `turnId`). Each row it returns names its
 * turn in `turnId`. Its text never changes, so it is compiled once.
 */
export function readFor<Row>(columns: RawBuilder<unknown>, statement: Statement<Row>): RunStatement<Row> {
  return statementFor('read', columns, statement);
}

/** A statement that writes turns, in the same form: statements of one moment are merged and committed together. */
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
 * Every id of a turn is one. Postgres expects a hundred rows of a function; the condition makes it expect few, so that it looks
 * each turn up by its id.
 */
export function isTurnId(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${id} like 'turn%'`;
}

/** Not `materialized`: a statement that names its input once then reads the rows without a copy of them. */
function inputRows(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`input as (
      select * from json_to_recordset(${RowSet.of('turnId')}::text::json) as input ("turnId" text, ${columns})
      where ${isTurnId(sql`"turnId"`)}
    )`;
}

/**
 * JSON that is stored as it is: a text, which the column makes `::json`. Within a row Postgres would convert each of
 * its strings to text, and refuse those with a NUL or half a surrogate pair.
 */
export function rawJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
