import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';

export type TestRedis = { url: string; stop(): Promise<void> };

/** A `redis-server` of our own, on a free port unless one is named, keeping nothing; null where there is none on the PATH. */
export async function spawnRedis(flags: string[] = [], known?: number): Promise<TestRedis | null> {
  const port = known ?? (await findFreePort());
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--databases',
    '1024',
    ...flags,
  ];
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
