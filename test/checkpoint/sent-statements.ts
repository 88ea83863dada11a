import type { CompiledQuery, DatabaseConnection } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';

/** A statement that a verb has sent: the tables that it writes, in the order of its text. */
export type SentStatement = { writes: string[] };

/** Collects each statement that is sent over `db` from now on. The list grows. */
export function keepSentStatements(db: Db): SentStatement[] {
  const sent: SentStatement[] = [];
  const executor = db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = (consumer, options) =>
    provide((connection) => consumer(tapped(connection, sent)), options);
  return sent;
}

function tapped(connection: DatabaseConnection, sent: SentStatement[]): DatabaseConnection {
  return new Proxy(connection, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'executeQuery') return value.bind(target);
      return (query: CompiledQuery, ...others: unknown[]) => {
        sent.push({ writes: tablesOf(query.sql) });
        return value.call(target, query, ...others);
      };
    },
  });
}

function tablesOf(text: string): string[] {
  return [...text.matchAll(/(?:insert into|update(?= \w+ set)|delete from) (\w+)/g)].map(([, table]) => table ?? '');
}
