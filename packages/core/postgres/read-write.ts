import type { CompiledQuery, QueryExecutorProvider, QueryResult } from 'kysely';

/** What a statement does. Its caller says so, since no look at the text could tell for sure. */
export type Access = 'read' | 'write';

/** A statement as the driver gets it; without an `access` it runs alone. */
export type AccessQuery<Row = unknown> = CompiledQuery<Row> & { access?: Access };

/** The pool, or a transaction: there every statement runs on the connection of the transaction. */
type Database = QueryExecutorProvider & {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
};

type Query<Row> = { compile(database: QueryExecutorProvider): CompiledQuery<Row> };

/** Runs a statement that writes nothing and locks nothing: beside other reads, or merged with them. */
export function read<Row>(database: Database, query: Query<Row>): Promise<Row[]> {
  return runAs('read', database, query.compile(database));
}

/** Runs a statement that is a transaction by itself: committed together with other writes, or merged with them. */
export function write<Row>(database: Database, query: Query<Row>): Promise<Row[]> {
  return runAs('write', database, query.compile(database));
}

/** Runs a compiled statement as a `read` or a `write`. */
export async function runAs<Row>(access: Access, database: Database, query: CompiledQuery<Row>): Promise<Row[]> {
  const marked: AccessQuery<Row> = { ...query, access };
  return (await database.executeQuery<Row>(marked)).rows;
}
