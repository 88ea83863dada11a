import type { KyselyPlugin } from 'kysely';
import type { Db } from '#core/checkpoint/database.ts';

/** A connection that counts what is sent over it. */
export function countStatements(db: Db): { db: Db; count(): number } {
  let count = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(counting), count: () => count };
}
