import { join } from 'node:path';
import { openRedis, type TestRedis } from './open-redis.ts';

/** Redis side by side that know nothing of each other, and the URL that names them all. */
export type SeveralRedis = AsyncDisposable & { url: string; servers: TestRedis[] };

/** Starts several Redis on free ports, with a folder durable ones; null where there is no `redis-server` on the PATH. */
export async function openSeveralRedis(count: number, folder?: string): Promise<SeveralRedis | null> {
  await using opened = new AsyncDisposableStack();
  const servers: TestRedis[] = [];
  for (let number = 0; number < count; number += 1) {
    const server = await openRedis(folder ? { folder: join(folder, `redis-${number}`) } : {});
    if (!server) return null;
    servers.push(opened.use(server));
  }
  const closing = opened.move();
  return { url: urlOf(servers), servers, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** REDIS_URL for these. */
export function urlOf(servers: TestRedis[]): string {
  return servers.map(({ url }) => url).join(' ');
}
