import { spawnRedis, type TestRedis } from './spawn-redis.ts';

/** Redis for the tests: the one that is named, else `redis-server` on the PATH, else a container, else none. */
export async function startRedis(): Promise<TestRedis | null> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  return (await spawnRedis()) ?? (await containRedis());
}

async function containRedis(): Promise<TestRedis | null> {
  const { GenericContainer } = await import('testcontainers');
  try {
    const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
    const url = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
    return { url, stop: async () => void (await container.stop()) };
  } catch {
    return null;
  }
}
