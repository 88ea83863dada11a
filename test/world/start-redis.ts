import { spawnRedis, type TestRedis } from './spawn-redis.ts';

/**
 * Redis for the tests: the one that is named, else `redis-server` on the PATH, else a container, else none. A container
 * cannot be kept out by the PATH: HIDE_DOCKER is set for a run that must find none.
 */
export async function startRedis(): Promise<TestRedis | null> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  return (await spawnRedis()) ?? (process.env.HIDE_DOCKER ? null : await containRedis());
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
