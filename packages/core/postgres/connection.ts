import postgres from 'postgres';
import { type Address, openSocket } from './open-socket.ts';
import { POSTGRES_OPTIONS } from './options.ts';

export type Rows = postgres.RowList<postgres.Row[]>;
export type Statement = { text: string; parameters?: readonly unknown[] };

/** One connection to Postgres. It sends statements without waiting for answers, and Postgres runs them in order. */
export type OpenConnection = {
  run(statement: Statement): Promise<Rows>;
  /** Statements that are not answered yet. */
  inFlight(): number;
  /** A closed connection is never opened again: every later statement fails. */
  isClosed(): boolean;
  close(): Promise<void>;
};

/**
 * A statement is planned once and keeps its plan while the tables grow. These settings leave only plans that are good
 * for large tables: from a few rows into an index, again and again.
 */
const PLANS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

const OPTIONS = {
  ...POSTGRES_OPTIONS,
  max: 1,
  fetch_types: false,
  idle_timeout: 300,
  keep_alive: 30,
  connection: {
    application_name: 'pawl',
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 5_000,
    lock_timeout: 4_000,
    synchronous_commit: 'on',
    ...PLANS,
  },
} as const;

/**
 * Opens a connection with its first statement. Calls `closed` once when the server or the network has closed it,
 * `onError` for each statement that failed.
 */
export function openConnection(
  url: string,
  closed: () => void,
  onError: (error: unknown) => void = () => {},
): OpenConnection {
  let isClosed = false;
  let inFlight = 0;
  const sql = postgres(url, {
    ...OPTIONS,
    onclose: () => {
      isClosed = true;
      closed();
      // At once: the statements that are left can no longer be run.
      void close(0);
    },
    // postgres.js would open the connection again for those statements.
    ...{ socket: (address: Address) => (isClosed ? refuse() : openSocket(address)) },
  });
  const close = (timeoutSeconds = 5) => sql.end({ timeout: timeoutSeconds }).catch(() => {});

  return {
    run: async ({ text, parameters = [] }) => {
      if (isClosed) throw connectionClosed();
      inFlight += 1;
      try {
        return await sql.unsafe(text, [...parameters] as never[], { prepare: true });
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        inFlight -= 1;
      }
    },
    inFlight: () => inFlight,
    isClosed: () => isClosed,
    close: () => close(),
  };
}

function refuse(): never {
  throw connectionClosed();
}

function connectionClosed(): Error {
  return Object.assign(new Error('The database closed the connection.'), { code: 'CONNECTION_CLOSED' });
}
