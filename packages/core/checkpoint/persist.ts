import { setTimeout as sleep } from 'node:timers/promises';

const PAUSES_MS = [50, 200, 1_000, 3_000, 5_000, 5_000, 5_000, 5_000];

/** Server states that pass by themselves: conflicts, restarts, too many connections, connections lost. */
const PASSING =
  /^(40001|40P01|55P03|57014|57P0[1-4]|25P03|53[0-4]00|08\w{3}|CONNECT\w*|ECONN\w*|E\w*UNREACH|EAI_AGAIN|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * Carries a write through what passes by itself. A commit whose answer was lost may have happened, so only a write
 * whose guard makes doing it twice the same as doing it once may be given here.
 */
export async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
  return write();
}

/** Whether a database error is about its state and not about what was asked. */
export function isPassing(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && PASSING.test(String(error.code));
}

/** What keeps the database from doing what it was asked. `message` is for callers, `log` for the operator. */
export type DatabaseTrouble = {
  kind: 'away' | 'disk-full' | 'out-of-memory' | 'too-many-connections' | 'conflict';
  message: string;
  log: string;
};

/** The trouble that an error of the database tells of; null for an error that is about what was asked. */
export function databaseTrouble(error: unknown): DatabaseTrouble | null {
  if (!isPassing(error)) return null;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TROUBLES.find(({ codes }) => codes.test(code))?.trouble ?? AWAY;
}

const AWAY: DatabaseTrouble = {
  kind: 'away',
  message: 'The database cannot be reached right now. Try again in a moment.',
  log: 'the database is away',
};

const TROUBLES: { codes: RegExp; trouble: DatabaseTrouble }[] = [
  {
    codes: /^53100$/,
    trouble: {
      kind: 'disk-full',
      message: 'The disk of the database is full. Try again when the operator has made room.',
      log: 'the disk of PostgreSQL is full: make room on it; nothing can be written until then',
    },
  },
  {
    codes: /^53200$/,
    trouble: {
      kind: 'out-of-memory',
      message: 'The database is out of memory. Try again in a moment.',
      log: 'PostgreSQL is out of memory: give it more, or run fewer processes against it',
    },
  },
  {
    codes: /^53[034]00$/,
    trouble: {
      kind: 'too-many-connections',
      message: 'The database takes no more connections right now. Try again in a moment.',
      log: 'PostgreSQL takes no more connections: raise max_connections, or run fewer processes against it',
    },
  },
  {
    codes: /^(?:40001|40P01|55P03|57014|25P03)$/,
    trouble: {
      kind: 'conflict',
      message: 'Another request was at the same thing. Try again.',
      log: 'the database gave up a statement for another one',
    },
  },
];
