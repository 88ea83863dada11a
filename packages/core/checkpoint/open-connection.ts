import postgres from 'postgres';
import { type Address, openSocket } from '../open-socket.ts';
import { POSTGRES_OPTIONS } from '../postgres-options.ts';

export type Rows = postgres.RowList<postgres.Row[]>;
export type Statement = { text: string; parameters?: readonly unknown[] };

/** One connection to Postgres. What is run on it without waiting is on its way at once, and is done in order. */
export type OpenConnection = {
  run(statement: Statement): Promise<Rows>;
  /** Statements on their way. */
  underWay(): number;
  /** Once it was closed it is never opened again: whatever is run fails. */
  isClosed(): boolean;
  close(): Promise<void>;
};

/**
 * A statement is planned once and keeps its plan while the tables grow, so only plans are wanted that are as good for large
 * ones: from a few rows into an index, again and again.
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
 * Opens one with the first statement it is given; `closed` is told once that the server, or the network, has closed it,
 * `onError` of each statement that failed.
 */
export function openConnection(
  url: string,
  closed: () => void,
  onError: (error: unknown) => void = () => {},
): OpenConnection {
  let isClosed = false;
  let underWay = 0;
  const sql = postgres(url, {
    ...OPTIONS,
    onclose: () => {
      isClosed = true;
      closed();
      // At once: what it still has to run can no longer be run.
      void close(0);
    },
    // postgres.js would open it again for that.
    ...{ socket: (address: Address) => (isClosed ? refuse() : openSocket(address)) },
  });
  const close = (patienceSeconds = 5) => sql.end({ timeout: patienceSeconds }).catch(() => {});

  return {
    run: async ({ text, parameters = [] }) => {
      if (isClosed) throw connectionClosed();
      underWay += 1;
      try {
        return await sql.unsafe(text, [...parameters] as never[], { prepare: true });
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        underWay -= 1;
      }
    },
    underWay: () => underWay,
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
