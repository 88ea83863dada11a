import type { OpenConnection, Rows, Statement } from './connection.ts';

/** A connection from the pool that belongs to one caller until its release. */
export type ExclusiveConnection = Pick<OpenConnection, 'run' | 'begin' | 'runAlone'> & { release(): void };

/**
 * Connections to PostgreSQL. Some carry single statements of many callers. Others are taken by one caller at a time.
 */
export type Pool = {
  run(statement: Statement): Promise<Rows>;
  /** Takes a connection. Waits if all connections are taken. */
  take(): Promise<ExclusiveConnection>;
  close(): Promise<void>;
};

type Open = (closed: () => void) => OpenConnection;

/**
 * Opens connections up to a number of each kind, so that a transaction never waits for single statements. Drops a
 * closed connection permanently: if postgres.js reopens a connection, it loses queries and repeats old errors.
 */
export function openPool(open: Open, { shared, own }: { shared: number; own: number }): Pool {
  const sharing = new Set<OpenConnection>();
  const { take, close } = openExclusive(open, own);

  function pick(): OpenConnection {
    for (const connection of sharing) if (connection.isOld()) replace(connection, sharing);
    const known = [...sharing].sort((one, other) => one.inFlight() - other.inFlight());
    const [freest] = known;
    if (freest && (freest.inFlight() === 0 || sharing.size >= shared)) return freest;
    const connection = open(() => void sharing.delete(connection));
    sharing.add(connection);
    return connection;
  }
  return {
    run: (statement) => pick().runAlone(statement),
    take,
    close: async () => void (await Promise.all([close(), ...[...sharing].map((connection) => connection.close())])),
  };
}

/** The maximum time until a replaced connection is closed. A statement ends sooner, by its timeout of 15 s. */
const LONGEST_STATEMENT_S = 20;

function replace(connection: OpenConnection, all: Set<OpenConnection>): void {
  all.delete(connection);
  void connection.close(LONGEST_STATEMENT_S);
}

function openExclusive(open: Open, most: number): Pick<Pool, 'take' | 'close'> {
  const all = new Set<OpenConnection>();
  const free: OpenConnection[] = [];
  const waiting: ((connection: OpenConnection) => void)[] = [];

  function add(): OpenConnection {
    const connection = open(() => {
      all.delete(connection);
      const index = free.indexOf(connection);
      if (index >= 0) free.splice(index, 1);
      else serve();
    });
    all.add(connection);
    return connection;
  }
  function serve(): void {
    if (waiting.length === 0 || (free.length === 0 && all.size >= most)) return;
    waiting.shift()?.(takeFree() ?? add());
  }
  function takeFree(): OpenConnection | undefined {
    const connection = free.pop();
    if (!connection?.isOld()) return connection;
    replace(connection, all);
    return takeFree();
  }
  return {
    take: async () => {
      const connection = await new Promise<OpenConnection>((resolve) => {
        waiting.push(resolve);
        serve();
      });
      return {
        ...{ run: connection.run, begin: connection.begin, runAlone: connection.runAlone },
        release: () => {
          if (connection.isClosed()) return;
          free.push(connection);
          serve();
        },
      };
    },
    close: async () => void (await Promise.all([...all].map((connection) => connection.close()))),
  };
}

/** Runs a statement on its own connection. */
export async function runAlone(take: Pool['take'], statement: Statement): Promise<Rows> {
  const connection = await take();
  return connection.runAlone(statement).finally(connection.release);
}
