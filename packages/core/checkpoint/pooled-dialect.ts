import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { groupCommit } from './group-commit.ts';
import { groupReads } from './group-reads.ts';
import type { Rows, Statement } from './open-connection.ts';
import type { OwnConnection, Pool } from './open-pool.ts';

/** A connection as Kysely sees one: the pool itself, until a transaction needs a connection of its own. */
type Lane = DatabaseConnection & { own: OwnConnection | null };

type Run = (statement: Statement) => Promise<Rows>;

/** What only reads is a transaction by itself, but has nothing to commit. */
const READING = /^\s*select\b/i;

/**
 * Kysely on a pool of postgres.js connections, of which only a transaction takes one for itself. Single statements share:
 * what reads is put on the wire beside others or together with them, what writes is committed together with others.
 */
export function pooledDialect(pool: Pool): Dialect {
  const commit = groupCommit(pool.take);
  const read = groupReads(pool.run);
  const run: Run = (statement) => (READING.test(statement.text) ? read(statement) : commit(statement));
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
    acquireConnection: async () => openLane(run),
    beginTransaction: async (connection, { isolationLevel }) => {
      const lane = laneOf(connection);
      lane.own = await pool.take();
      await lane.own.run({ text: isolationLevel ? `begin isolation level ${isolationLevel}` : 'begin' });
    },
    commitTransaction: async (connection) => void (await laneOf(connection).own?.run({ text: 'commit' })),
    // A connection that is gone has rolled back by itself; what led here is the error to tell.
    rollbackTransaction: async (connection) =>
      void (await laneOf(connection)
        .own?.run({ text: 'rollback' })
        .catch(() => {})),
    releaseConnection: async (connection) => laneOf(connection).own?.release(),
    destroy: () => pool.close(),
  };
}

function openLane(run: Run): Lane {
  const lane: Lane = {
    own: null,
    executeQuery: async <Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const rows = await (lane.own?.run ?? run)({ text, parameters });
      return { rows: [...rows] as Row[], numAffectedRows: BigInt(rows.count ?? 0) };
    },
    streamQuery: () => {
      throw new Error('Statements are not streamed here.');
    },
  };
  return lane;
}

/** The driver is only ever given the connections that it has made. */
function laneOf(connection: DatabaseConnection): Lane {
  return connection as Lane;
}
