import type { Live } from './live.ts';
import { postgresLive } from './postgres-live.ts';
import { redisLive } from './redis-live.ts';

/** Opens the wire on Redis where there is one, else on Postgres. */
export function openLive(urls: { databaseUrl: string; redisUrl?: string | undefined }): Live {
  return urls.redisUrl ? redisLive(urls.redisUrl) : postgresLive(urls.databaseUrl);
}
