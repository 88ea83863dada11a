import { join } from 'node:path';
import { openRedis, type TestRedis } from './open-redis.ts';

/** Independent Redis servers, and the URL that names all servers. */
export type SeveralRedis = AsyncDisposable & { url: string; servers: TestRedis[] };

/** Starts several Redis on free ports, durable if a folder is given. Returns null if the PATH has no `redis-server`. */
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

/** Returns REDIS_URL for these servers. */
export function urlOf(servers: TestRedis[]): string {
  return servers.map(({ url }) => url).join(' ');
}
