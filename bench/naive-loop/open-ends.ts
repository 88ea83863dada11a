import { Redis } from 'ioredis';
import type postgres from 'postgres';

const CHANNEL = 'naive_end';

/** How the end of a turn gets from the worker to whoever waits for it. */
export type Ends = {
  tell(turnId: string): Promise<void>;
  hear(hear: (turnId: string) => void): Promise<void>;
  close(): Promise<void>;
};

/** Over Redis where there is one, else by NOTIFY behind the commit, so that no commit waits for another. */
export function openEnds(sql: postgres.Sql, redisUrl: string | undefined): Ends {
  return redisUrl ? overRedis(redisUrl) : overPostgres(sql);
}

function overRedis(url: string): Ends {
  const speaking = new Redis(url);
  const hearing = new Redis(url);
  return {
    tell: async (turnId) => void (await speaking.publish(CHANNEL, turnId)),
    hear: async (hear) => {
      hearing.on('message', (_channel, turnId: string) => hear(turnId));
      await hearing.subscribe(CHANNEL);
    },
    close: async () => {
      speaking.disconnect();
      hearing.disconnect();
    },
  };
}

function overPostgres(sql: postgres.Sql): Ends {
  return {
    tell: async (turnId) => void (await sql.notify(CHANNEL, turnId)),
    hear: async (hear) => void (await sql.listen(CHANNEL, hear)),
    close: async () => {},
  };
}
