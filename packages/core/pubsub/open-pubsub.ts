import { postgresPubsub } from './postgres.ts';
import type { Pubsub } from './pubsub.ts';
import { redisPubsub } from './redis.ts';

/** Opens pubsub on Redis where there is one, else on Postgres. */
export function openPubsub(urls: { databaseUrl: string; redisUrl?: string | undefined }): Pubsub {
  return urls.redisUrl ? redisPubsub(urls.redisUrl) : postgresPubsub(urls.databaseUrl);
}
