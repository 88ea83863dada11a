import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Rows, Statement } from './connection.ts';
import { groupCommit } from './group-commit.ts';
import { groupReads } from './group-read.ts';
import { type ExclusiveConnection, type Pool, runAlone } from './pool.ts';
import type { Access, AccessQuery } from './read-write.ts';

/** A connection for Kysely: the pool itself, until a transaction takes its own connection. */
type VirtualConnection = DatabaseConnection & { own: ExclusiveConnection | null };

type Run = (statement: Statement, access?: Access | 'alone') => Promise<Rows>;

/**
 * Runs Kysely on the pool. A transaction, or a statement without an `access`, has its own connection. Others share
 * connections.
 */
export function pooledDialect(pool: Pool): Dialect {
  const runBy = { read: groupReads(pool.run), write: groupCommit(pool.take), alone: runAlone.bind(null, pool.take) };
  const run: Run = (statement, access = 'alone') => runBy[access](statement);
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => pooledDriver(pool, run),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function pooledDriver(pool: Pool, run: Run): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => openVirtualConnection(run),
    beginTransaction: async (connection, { isolationLevel }) => {
      const virtual = virtualConnectionOf(connection);
      virtual.own = await pool.take();
      await virtual.own.begin({ isolationLevel });
    },
    commitTransaction: async (connection) => void (await virtualConnectionOf(connection).own?.run({ text: 'commit' })),
    // A lost connection has rolled back already. The caller gets the error that caused the rollback.
    rollbackTransaction: async (connection) =>
      void (await virtualConnectionOf(connection)
        .own?.run({ text: 'rollback' })
        .catch(() => {})),
    releaseConnection: async (connection) => virtualConnectionOf(connection).own?.release(),
    destroy: () => pool.close(),
  };
}

function openVirtualConnection(run: Run): VirtualConnection {
  const virtual: VirtualConnection = {
    own: null,
    executeQuery: async <Row>({ sql: text, parameters, access }: AccessQuery): Promise<QueryResult<Row>> => {
      const statement = { text, parameters };
      const rows = await (virtual.own ? virtual.own.run(statement) : run(statement, access));
      return { rows: [...rows] as Row[], numAffectedRows: BigInt(rows.count ?? 0) };
    },
    streamQuery: () => {
      throw new Error('Statements are not streamed.');
    },
  };
  return virtual;
}

function virtualConnectionOf(connection: DatabaseConnection): VirtualConnection {
  return connection as VirtualConnection;
}
