import { setTimeout as sleep } from 'node:timers/promises';

const PAUSES_MS = [50, 200, 1_000, 3_000, 5_000, 5_000, 5_000, 5_000];

/** The codes of faults that pass: conflicts, restarts, failovers, too many connections, lost connections. */
const TRANSIENT =
  /^(40001|40P01|55P03|57014|57P0[1-5]|25P0[34]|25006|53[0-4]00|08\w{3}|CONNECT\w*|ECONN\w*|E\w*UNREACH|EAI_AGAIN|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/** Repeats a write until a fault is over. An earlier attempt may have committed, so the write needs a guard. */
export async function retryTransient<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
  return write();
}

/** Returns whether an error has its cause in the state of the database, not in the statement. */
export function isTransient(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && TRANSIENT.test(String(error.code));
}

/** A fault that keeps the database from running a statement. `message` is for callers, `log` for the operator. */
export type TransientFault = {
  kind: 'away' | 'disk-full' | 'out-of-memory' | 'too-many-connections' | 'lock' | 'conflict';
  message: string;
  log: string;
};

/** Returns the fault of a database error, or null if the statement has caused the error. */
export function transientFaultOf(error: unknown): TransientFault | null {
  if (!isTransient(error)) return null;
  const code = String(error.code);
  const { kind, message, log } = FAULTS.find(({ codes }) => codes.test(code)) ?? UNREACHABLE;
  return { kind, message, log };
}

const UNREACHABLE: TransientFault = {
  kind: 'away',
  message: 'The database cannot be reached right now. Try again in a moment.',
  log: 'the database is away',
};

const FAULTS: (TransientFault & { codes: RegExp })[] = [
  {
    codes: /^25006$/,
    kind: 'away',
    message: 'The database accepts no writes right now. Try again in a moment.',
    log: 'PostgreSQL accepts no writes: it is a standby, or read-only',
  },
  {
    codes: /^53100$/,
    kind: 'disk-full',
    message: 'The disk of the database is full. Try again when the operator has freed space.',
    log: 'the disk of PostgreSQL is full, free some space: no writes are possible until then',
  },
  {
    codes: /^53200$/,
    kind: 'out-of-memory',
    message: 'The database is out of memory. Try again in a moment.',
    log: 'PostgreSQL is out of memory: add memory, or run fewer processes against it',
  },
  {
    codes: /^53[034]00$/,
    kind: 'too-many-connections',
    message: 'The database accepts no more connections right now. Try again in a moment.',
    log: 'PostgreSQL accepts no more connections: raise max_connections, or run fewer processes against it',
  },
  {
    codes: /^55P03$/,
    kind: 'lock',
    message: 'Another session of PostgreSQL holds a lock that this request needs. Try again when the lock is released.',
    log: 'another session of PostgreSQL holds a lock that a request needs: find the lock in pg_locks',
  },
  {
    codes: /^57014$/,
    kind: 'conflict',
    message: 'PostgreSQL did not finish this request in time. Try again, or request less.',
    log: 'PostgreSQL did not finish a statement in time: it waits for a lock, or is overloaded',
  },
  {
    codes: /^(?:40001|40P01|25P0[34])$/,
    kind: 'conflict',
    message: 'Another request changed the same rows. Try again.',
    log: 'the database aborted a statement because of a conflict',
  },
];
