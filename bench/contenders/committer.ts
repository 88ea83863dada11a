import { setImmediate as nextTick } from 'node:timers/promises';
import type postgres from 'postgres';

type Sql = postgres.Sql | postgres.TransactionSql;
type Write = (sql: Sql) => Promise<void>;

/** Makes one write durable; resolves once it is on the disk. */
export type Committer = (write: Write) => Promise<void>;

/** Each write commits for itself. */
export function commitEach(sql: postgres.Sql): Committer {
  return (write) => write(sql);
}

/** Transactions at a time: while one is on its way to the disk, the next one fills. */
const LANES = 2;

type Waiting = { write: Write; committed: PromiseWithResolvers<void> };

/** All writes that wait go into one transaction, sent at once: as few commits as possible. */
export function commitTogether(sql: postgres.Sql): Committer {
  const waiting: Waiting[] = [];
  let lanes = 0;

  async function drain(): Promise<void> {
    await nextTick();
    while (waiting.length > 0) await commitAll(sql, waiting.splice(0));
    lanes -= 1;
  }
  return (write) => {
    const committed = Promise.withResolvers<void>();
    waiting.push({ write, committed });
    if (lanes < LANES) {
      lanes += 1;
      void drain();
    }
    return committed.promise;
  };
}

async function commitAll(sql: postgres.Sql, group: Waiting[]): Promise<void> {
  try {
    await sql.begin((trx) => group.map(({ write }) => write(trx)));
    for (const { committed } of group) committed.resolve();
  } catch (error) {
    for (const { committed } of group) committed.reject(error);
  }
}
