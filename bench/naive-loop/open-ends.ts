import { Redis } from 'ioredis';
import type postgres from 'postgres';

const CHANNEL = 'naive_end';

/** How the end of a turn gets from the worker to the waiting driver. */
export type Ends = {
  publish(turnId: string): Promise<void>;
  subscribe(onEnd: (turnId: string) => void): Promise<void>;
  close(): Promise<void>;
};

/** Over Redis where there is one, else by NOTIFY behind the commit, so that no commit waits for another. */
export function openEnds(sql: postgres.Sql, redisUrl: string | undefined): Ends {
  return redisUrl ? overRedis(redisUrl) : overPostgres(sql);
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

function overPostgres(sql: postgres.Sql): Ends {
  return {
    publish: async (turnId) => void (await sql.notify(CHANNEL, turnId)),
    subscribe: async (onEnd) => void (await sql.listen(CHANNEL, onEnd)),
    close: async () => {},
  };
}
