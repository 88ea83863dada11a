import type { OpenConnection, Rows, Statement } from './open-connection.ts';

/** A connection taken out of the pool: nobody else's until it is released. */
export type OwnConnection = Pick<OpenConnection, 'run'> & { release(): void };

/** Connections to Postgres, some for single statements of anybody, some to be taken by one at a time. */
export type Pool = {
  /** Runs a statement on a connection that others use too. */
  run(statement: Statement): Promise<Rows>;
  /** Waits for its turn where all are taken. */
  take(): Promise<OwnConnection>;
  close(): Promise<void>;
};

type Open = (closed: () => void) => OpenConnection;

/**
 * Opens connections as they are needed, and no more than so many of each kind, so that a transaction never waits behind
 * single statements that keep coming. One that was closed is forgotten: postgres.js forgets queries, and tells old errors,
 * where it opens a connection again.
 */
export function openPool(open: Open, { shared, own }: { shared: number; own: number }): Pool {
  const sharing = new Set<OpenConnection>();
  const { take, close } = openTaking(open, own);

  function pick(): OpenConnection {
    const known = [...sharing].sort((one, other) => one.underWay() - other.underWay());
    const [freest] = known;
    if (freest && (freest.underWay() === 0 || sharing.size >= shared)) return freest;
    const connection = open(() => void sharing.delete(connection));
    sharing.add(connection);
    return connection;
  }
  return {
    run: (statement) => pick().run(statement),
    take,
    close: async () => void (await Promise.all([close(), ...[...sharing].map((connection) => connection.close())])),
  };
}

function openTaking(open: Open, most: number): Pick<Pool, 'take' | 'close'> {
  const all = new Set<OpenConnection>();
  const free: OpenConnection[] = [];
  const waiting: ((connection: OpenConnection) => void)[] = [];

  function add(): OpenConnection {
    const connection = open(() => {
      all.delete(connection);
      const place = free.indexOf(connection);
      if (place >= 0) free.splice(place, 1);
      else serve();
    });
    all.add(connection);
    return connection;
  }
  /** Gives whoever has waited longest a connection, if there is one or room for one. */
  function serve(): void {
    if (waiting.length === 0 || (free.length === 0 && all.size >= most)) return;
    waiting.shift()?.(free.pop() ?? add());
  }
  return {
    take: async () => {
      const connection = await new Promise<OpenConnection>((resolve) => {
        waiting.push(resolve);
        serve();
      });
      return {
        run: connection.run,
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
