import type { DatabaseConnection } from 'kysely';
import type { Connection } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/database.ts';
import type { Crossings } from './crossings.ts';
import { namePlace } from './name-place.ts';

/** Crosses around every statement, and around the beginning and the commit of every transaction, whoever sends it. */
export function tapDatabase({ db }: Connection, crossings: Crossings): void {
  Error.stackTraceLimit = 100;
  tapStatements(db, crossings);
  tapTransactions(db, crossings);
}

function tapStatements(db: Db, { around }: Crossings): void {
  const executor = db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = (consumer, options) => {
    const asked = here();
    const tapped = (connection: DatabaseConnection) =>
      new Proxy(connection, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          if (key !== 'executeQuery') return value.bind(target);
          return (...args: unknown[]) => around(here() || asked, () => value.apply(target, args));
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
      const place = here();
      cross(`before begin of ${place}`);
      const result = await execute(async (trx) => {
        cross(`after begin of ${place}`);
        const written = await write(trx);
        cross(`before commit of ${place}`);
        return written;
      });
      cross(`after commit of ${place}`);
      return result;
    };
    return builder;
  };
}

function here(): string {
  return namePlace(String(new Error().stack));
}
