import postgres from 'postgres';

type Options = NonNullable<Parameters<typeof postgres>[1]>;

/** A connection taken out of the pool for a while, and whether the server has closed it meanwhile. */
type Taken = { id: number | null; isClosed: boolean };

/**
 * A pool whose connections may close at any time. postgres.js writes to a connection that was closed while it was
 * reserved, and puts it back as if it were open: both end the process. Here such a connection only fails its queries,
 * and is left to the pool, which opens it anew.
 */
export function guardedPostgres(url: string, options: Options): postgres.Sql {
  const taken = new Map<number, Taken>();
  const sql = postgres(url, {
    ...options,
    onclose: (id) => {
      const connection = taken.get(id);
      if (connection) connection.isClosed = true;
    },
  });
  const reserve = async () => guard(await sql.reserve(), taken);
  return new Proxy(sql, { get: (target, key) => (key === 'reserve' ? reserve : Reflect.get(target, key)) });
}

function guard(reserved: postgres.ReservedSql, taken: Map<number, Taken>) {
  const connection: Taken = { id: null, isClosed: false };
  /** postgres.js tells, although its types do not say so, which connection runs a query. */
  const onexecute = ({ id }: { id: number }) => {
    connection.id = id;
    return taken.set(id, connection);
  };
  return {
    unsafe: async (text: string, parameters: never[], options: object) => {
      if (connection.isClosed) throw closed();
      try {
        return await reserved.unsafe(text, parameters, { ...options, onexecute } as object);
      } catch (error) {
        connection.isClosed ||= isClosed(error);
        throw error;
      }
    },
    release: () => {
      if (connection.id !== null) taken.delete(connection.id);
      if (!connection.isClosed) reserved.release();
    },
  };
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CONNECTION_CLOSED';
}

function closed(): Error {
  return Object.assign(new Error('The database closed the connection'), { code: 'CONNECTION_CLOSED' });
}
