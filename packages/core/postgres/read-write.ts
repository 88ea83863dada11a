import type { CompiledQuery, QueryExecutorProvider, QueryResult } from 'kysely';

/** The access of a statement. Its caller declares it, since its text does not show it reliably. */
export type Access = 'read' | 'write';

/** A statement for the driver. Without an `access` it runs alone. */
export type AccessQuery<Row = unknown> = CompiledQuery<Row> & { access?: Access };

/** The pool, or a transaction, which runs every statement on its connection. */
type Database = QueryExecutorProvider & {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
};

type Query<Row> = { compile(database: QueryExecutorProvider): CompiledQuery<Row> };

/** Runs a statement that neither writes nor locks: beside other reads, or merged with them. */
export function read<Row>(database: Database, query: Query<Row>): Promise<Row[]> {
  return runAs('read', database, query.compile(database));
}

/** Runs a statement that is its own transaction: committed together with other writes, or merged with them. */
export function write<Row>(database: Database, query: Query<Row>): Promise<Row[]> {
  return runAs('write', database, query.compile(database));
}

export async function runAs<Row>(access: Access, database: Database, query: CompiledQuery<Row>): Promise<Row[]> {
  const marked: AccessQuery<Row> = { ...query, access };
  return (await database.executeQuery<Row>(marked)).rows;
}
