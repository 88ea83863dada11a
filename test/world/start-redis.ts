import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';

export type TestRedis = { url: string; stop(): Promise<void> };

/** Redis for the tests: the one that is named, else `redis-server` on the PATH, else a container, else none. */
export async function startRedis(): Promise<TestRedis | null> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  return (await spawnRedis()) ?? (await containRedis());
}

async function spawnRedis(): Promise<TestRedis | null> {
  const port = await findFreePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  const isMissing = await Promise.race([
    once(server, 'error').then(() => true),
    once(server, 'spawn').then(() => false),
  ]);
  if (isMissing) return null;

  const url = `redis://127.0.0.1:${port}`;
  await untilUp(url);
  return {
    url,
    stop: async () => {
      server.kill('SIGKILL');
      await once(server, 'exit');
    },
  };
}

async function untilUp(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
  redis.on('error', () => {});
  await redis.ping();
  redis.disconnect();
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
