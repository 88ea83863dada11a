import type { KyselyPlugin } from 'kysely';
import type { Db } from '#core/checkpoint/database.ts';

/** A connection that counts what is asked over it and answered, and loses the next few answers when told to. */
export function countStatements(db: Db): { db: Db; count(): number; failNext(times: number): void } {
  let count = 0;
  let failing = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // A statement whose text never changes is compiled once: only its answers can be counted.
    transformResult: async ({ result }) => {
      count += 1;
      failing -= 1;
      if (failing >= 0) throw new Error('the connection was lost');
      return result;
    },
  };
  return {
    db: db.withPlugin(counting),
    count: () => count,
    failNext: (times) => {
      failing = times;
    },
  };
}
