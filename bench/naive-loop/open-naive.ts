import { Redis } from 'ioredis';
import postgres from 'postgres';
import { type BullMq, openBullMq } from './open-bullmq.ts';

/** The common parts of both sides of the loop: the driver, which starts turns, and the worker. */
export type Naive = Pick<BullMq, 'makeWorker'> & {
  sql: postgres.Sql;
  ends: Ends;
  add(turnId: string, step: string): Promise<void>;
  close(): Promise<void>;
};

/** The path of the end of a turn from the worker to the waiting driver. */
type Ends = {
  publish(turnId: string): Promise<void>;
  subscribe(onEnd: (turnId: string) => void): Promise<void>;
  close(): Promise<void>;
};

const CONNECTIONS = 20;
const CHANNEL = 'naive_end';

/**
 * Opens the database, the queue and the publishing of ends. A lost job would stop its turn permanently, so jobs are
 * durable.
 */
export function openNaive(databaseUrl: string, redisUrl: string | undefined): Naive {
  const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
  const { queue, makeWorker, close } = openBullMq(databaseUrl, redisUrl);
  const ends = redisUrl ? overRedis(redisUrl) : overPostgres(sql);
  return {
    ...{ sql, makeWorker, ends },
    add: async (turnId, step) => {
      const options = { jobId: `${turnId}-${step}`, attempts: 3, removeOnComplete: true, removeOnFail: true };
      await queue.add('step', { turnId, step }, options);
    },
    close: async () => {
      await queue.close().catch(() => {});
      await close();
      await ends.close();
      await sql.end({ timeout: 5 });
    },
  };
}

function overRedis(url: string): Ends {
  const publisher = new Redis(url);
  const subscriber = new Redis(url);
  return {
    publish: async (turnId) => void (await publisher.publish(CHANNEL, turnId)),
    subscribe: async (onEnd) => {
      subscriber.on('message', (_channel, turnId: string) => onEnd(turnId));
      await subscriber.subscribe(CHANNEL);
    },
    close: async () => {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Publishes ends by NOTIFY after the commit, so that no commit waits for another. */
function overPostgres(sql: postgres.Sql): Ends {
  return {
    publish: async (turnId) => void (await sql.notify(CHANNEL, turnId)),
    subscribe: async (onEnd) => void (await sql.listen(CHANNEL, onEnd)),
    close: async () => {},
  };
}
