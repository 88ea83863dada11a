import postgres from 'postgres';
import { type BullMq, openBullMq, type Stores } from '../contenders/open-bullmq.ts';
import type { Mode } from '../mode.ts';
import { type Ends, openEnds } from './open-ends.ts';

/** What both sides of the loop share: the driver, which starts turns, and the worker. */
export type Naive = {
  sql: postgres.Sql;
  bullmq: BullMq;
  ends: Ends;
  add(turnId: string, step: string): Promise<void>;
  close(): Promise<void>;
};

const CONNECTIONS = 20;
export const QUEUE = 'turns';

/** Opens database, queue and the publishing of ends. A lost job would leave its turn for ever, so jobs are durable. */
export function openNaive(stores: Stores, mode: Mode): Naive {
  const sql = postgres(stores.databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
  const bullmq = openBullMq(stores, mode, { durable: true });
  const ends = openEnds(sql, mode === 'redis' ? stores.redisUrl : undefined);
  const queue = bullmq.makeQueue(QUEUE);
  return {
    ...{ sql, bullmq, ends },
    add: async (turnId, step) => {
      const options = { jobId: `${turnId}-${step}`, attempts: 3, removeOnComplete: true, removeOnFail: true };
      await queue.add('step', { turnId, step }, options);
    },
    close: async () => {
      await queue.close().catch(() => {});
      await bullmq.close();
      await ends.close();
      await sql.end({ timeout: 5 });
    },
  };
}
