import type { DatabaseUrls } from '../postgres/hosts.ts';
import { readRedisUrls } from '../redis-connection.ts';
import { postgresPubsub } from './postgres.ts';
import type { Pubsub } from './pubsub.ts';
import { redisPubsub } from './redis.ts';
import { spreadMessages } from './spread-messages.ts';

/** Opens pubsub on Redis where there is one, on all of them where there are several, else on Postgres. */
export function openPubsub({ redisUrl, ...database }: DatabaseUrls & { redisUrl?: string | undefined }): Pubsub {
  if (!redisUrl) return postgresPubsub(database);
  const stores = readRedisUrls(redisUrl).map(({ address, to }) => {
    const pubsub = redisPubsub(to);
    return { address, pubsub, isOpen: pubsub.isOpen };
  });
  const [first, ...others] = stores;
  return first && others.length === 0 ? first.pubsub : spreadMessages(stores);
}
