import type { DatabaseConnection } from 'kysely';
import type { Connection } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Crossings } from './crossings.ts';

/** Crosses around every statement, and around the beginning and the commit of every transaction. */
export function tapDatabase({ db }: Connection, crossings: Crossings): void {
  Error.stackTraceLimit = 100;
  tapStatements(db, crossings);
  tapTransactions(db, crossings);
}

function tapStatements(db: Db, { around }: Crossings): void {
  const executor = db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = (consumer, options) => {
    const requestedAt = here();
    const tapped = (connection: DatabaseConnection) =>
      new Proxy(connection, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          if (key !== 'executeQuery') return value.bind(target);
          return (...args: unknown[]) => around(here() || requestedAt, () => value.apply(target, args));
        },
      });
    return provide((connection) => consumer(tapped(connection)), options);
  };
}

function tapTransactions(db: Db, { cross }: Crossings): void {
  const transaction = db.transaction.bind(db);
  db.transaction = () => {
    const builder = transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = async (write) => {
      const origin = here();
      cross(`before begin of ${origin}`);
      const result = await execute(async (trx) => {
        cross(`after begin of ${origin}`);
        const written = await write(trx);
        cross(`before commit of ${origin}`);
        return written;
      });
      cross(`after commit of ${origin}`);
      return result;
    };
    return builder;
  };
}

function here(): string {
  return nameOrigin(String(new Error().stack));
}

/** A frame of `checkpoint/`, except files that carry the statements of others. */
const FRAME = /\/packages\/core\/checkpoint\/(?!connect\.ts|sql\/)(?:[\w-]+\/)*([\w-]+)\.ts/;
const FUNCTION = /at (?:async )?(?:\w+\.)*(\w+) \(/;
const CALLER = /\/services\/(?:[\w-]+\/)+([\w-]+)\.ts/;

/**
 * Returns the origin of a statement: the calling file, then the functions of `checkpoint/`, as in `commit-round ›
 * endWithRound`. If no function has a name, it is the file of a function.
 */
function nameOrigin(stack: string): string {
  const functions: string[] = [];
  const files: string[] = [];
  let caller: string | undefined;
  for (const line of stack.split('\n')) {
    caller = CALLER.exec(line)?.[1];
    if (caller) break;
    const file = FRAME.exec(line)?.[1];
    const name = file && FUNCTION.exec(line)?.[1];
    if (file) files.push(file);
    if (name && functions[0] !== name) functions.unshift(name);
  }
  const origin = functions.length > 0 ? functions : files.slice(0, 1);
  return [...(caller ? [caller] : []), ...origin].join(' › ');
}
