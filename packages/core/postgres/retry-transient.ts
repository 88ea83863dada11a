import { setTimeout as sleep } from 'node:timers/promises';

const PAUSES_MS = [50, 200, 1_000, 3_000, 5_000, 5_000, 5_000, 5_000];

/** States that pass by themselves: conflicts, restarts, failovers, too many connections, lost connections. */
const TRANSIENT =
  /^(40001|40P01|55P03|57014|57P0[1-5]|25P0[34]|25006|53[0-4]00|08\w{3}|CONNECT\w*|ECONN\w*|E\w*UNREACH|EAI_AGAIN|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/** Repeats a write until a fault has passed. An earlier try may have committed, so the write needs a guard. */
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

/** Whether an error comes from the state of the database, and not from the statement. */
export function isTransient(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && TRANSIENT.test(String(error.code));
}

/** What keeps the database from running a statement. `message` is for callers, `log` for the operator. */
export type TransientFault = {
  kind: 'away' | 'disk-full' | 'out-of-memory' | 'too-many-connections' | 'lock' | 'conflict';
  message: string;
  log: string;
};

/** The fault behind an error of the database; null for an error that comes from the statement. */
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
    message: 'The database takes no writes right now. Try again in a moment.',
    log: 'PostgreSQL takes no writes: it is a standby, or read-only',
  },
  {
    codes: /^53100$/,
    kind: 'disk-full',
    message: 'The disk of the database is full. Try again when the operator has made room.',
    log: 'the disk of PostgreSQL is full: make room on it; nothing can be written until then',
  },
  {
    codes: /^53200$/,
    kind: 'out-of-memory',
    message: 'The database is out of memory. Try again in a moment.',
    log: 'PostgreSQL is out of memory: give it more, or run fewer processes against it',
  },
  {
    codes: /^53[034]00$/,
    kind: 'too-many-connections',
    message: 'The database takes no more connections right now. Try again in a moment.',
    log: 'PostgreSQL takes no more connections: raise max_connections, or run fewer processes against it',
  },
  {
    codes: /^55P03$/,
    kind: 'lock',
    message: 'PostgreSQL holds a lock that this request needs. Try again when the lock has ended.',
    log: 'PostgreSQL holds a lock that a request needs: look for it in pg_locks',
  },
  {
    codes: /^57014$/,
    kind: 'conflict',
    message: 'PostgreSQL did not finish this request in time. Try again, or ask for less.',
    log: 'PostgreSQL did not finish a statement in time: it waits for a lock, or has too much to do',
  },
  {
    codes: /^(?:40001|40P01|25P0[34])$/,
    kind: 'conflict',
    message: 'Another request was at the same thing. Try again.',
    log: 'the database gave up a statement for another one',
  },
];
