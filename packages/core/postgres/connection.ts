import { setImmediate as nextEventLoopIteration } from 'node:timers/promises';
import postgres from 'postgres';
import { beginConnectionLife } from './connection-life.ts';
import { type Address, POSTGRES_OPTIONS, SILENCE_MS } from './open-socket.ts';
import { beginText, SESSION, type SessionSettings, setLocal } from './session.ts';
import { isReadOnlyError, type Writer, writerAt } from './writer.ts';

export type Rows = postgres.RowList<postgres.Row[]>;
export type Statement = { text: string; parameters?: readonly unknown[] };

type Transaction = { isolationLevel?: string | undefined; settings?: SessionSettings };

/** A connection to PostgreSQL. It sends statements without waiting for answers, and PostgreSQL runs them in order. */
export type OpenConnection = {
  run(statement: Statement): Promise<Rows>;
  /** Begins a transaction. It has all statements until `commit` or `rollback`. */
  begin(transaction?: Transaction): Promise<Rows>;
  runAlone(statement: Statement): Promise<Rows>;
  inFlight(): number;
  /** Whether the connection was opened, or last used, so long ago that the pool has to replace it. */
  isOld(): boolean;
  /** Whether the connection is closed. It is never opened again: every later statement fails. */
  isClosed(): boolean;
  /** Closes the connection after the statements in flight, or after `timeoutSeconds`, 5 by default. */
  close(timeoutSeconds?: number): Promise<void>;
};

/**
 * The settings of plans. A statement keeps its first plan while tables grow, so only plans that suit large tables are
 * left.
 */
const PLANS = {
  plan_cache_mode: 'force_generic_plan',
  enable_indexscan: 'on',
  enable_nestloop: 'on',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

const SETTINGS: SessionSettings = { ...SESSION, lock_timeout: '4000', synchronous_commit: 'on', ...PLANS };

/** The settings of each transaction with a pooler, since each transaction may have another session. */
const SET_LOCAL = setLocal(SETTINGS);

const OPTIONS = {
  ...{ ...POSTGRES_OPTIONS, max: 1, keep_alive: 30 },
  // postgres.js fails statements that are sent while it closes a connection, so the pool replaces connections
  // earlier.
  ...{ idle_timeout: 300, max_lifetime: null },
};

/**
 * Opens a connection with its first statement. Calls `closed` once, and `onError` for each failed statement. Closes
 * the connection after a silence of `silenceMs`.
 */
export function openConnection(
  url: string,
  closed: () => void,
  onError: (error: unknown) => void = () => {},
  silenceMs = SILENCE_MS,
): OpenConnection {
  const life = beginConnectionLife(closed, silenceMs);
  const writer = writerAt(url);
  const sql = postgres(writer.url, {
    ...OPTIONS,
    connection: { application_name: 'pawl', ...(writer.isPooled ? {} : SETTINGS) },
    onclose: () => {
      life.end();
      // At once, since the remaining statements can no longer run.
      void close(0);
    },
    // postgres.js would open the connection again for those statements.
    ...{ socket: (address: Address) => (life.isClosed() ? refuse() : writer.openSocket(address, life.silence)) },
  });
  const close = (timeoutSeconds = 5) => sql.end({ timeout: timeoutSeconds }).catch(() => {});
  /** Closes the connection to a server that refuses writes. The next connection finds the server that takes writes. */
  const leaveReadOnly = (error: unknown) => {
    if (!isReadOnlyError(error)) return;
    writer.leave();
    void close(0);
  };

  const run = async ({ text, parameters = [] }: Statement) => {
    if (life.isClosed()) throw connectionClosed();
    life.begin();
    try {
      return await sql.unsafe(text, [...parameters] as never[], { prepare: writer.prepares });
    } catch (error) {
      leaveReadOnly(error);
      onError(error);
      throw error;
    } finally {
      life.answer();
    }
  };
  const begin = ({ isolationLevel, settings = {} }: Transaction = {}) =>
    run({ text: textOfBegin(writer, isolationLevel, settings) });

  return {
    run,
    begin,
    runAlone: writer.isPooled ? (statement) => runBetween(begin(), run(statement), run({ text: 'commit' })) : run,
    ...{ inFlight: life.inFlight, isOld: life.isOld, isClosed: life.isClosed },
    close: async (timeoutSeconds) => {
      // A statement of this moment reaches postgres.js some microtasks later.
      await nextEventLoopIteration();
      await close(timeoutSeconds);
    },
  };
}

/** Returns one message for all settings, since PostgreSQL answers each message separately. */
function textOfBegin({ isPooled }: Writer, isolationLevel: string | undefined, settings: SessionSettings): string {
  const opening = isolationLevel || isPooled ? beginText(isolationLevel) : 'begin';
  return [opening, ...(isPooled ? SET_LOCAL : []), ...setLocal(settings)].join(';');
}

/** Returns the rows of the statement between `begin` and `commit`, after the commit. All three are sent at once. */
async function runBetween(begun: Promise<Rows>, answered: Promise<Rows>, committed: Promise<Rows>): Promise<Rows> {
  await Promise.allSettled([begun, answered, committed]);
  const [, rows] = await Promise.all([begun, answered, committed]);
  return rows;
}

function refuse(): never {
  throw connectionClosed();
}

function connectionClosed(): Error {
  return Object.assign(new Error('The database closed the connection.'), { code: 'CONNECTION_CLOSED' });
}
