import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { spawnChild } from './spawn-child.ts';

/** A Redis to measure on. `pid` is null for one that is not ours: its CPU is then not counted. */
export type BenchRedis = AsyncDisposable & { url: string; pid: number | null; version: string; clear(): Promise<void> };

/** The Redis at REDIS_URL, else a `redis-server` of our own, else null. */
export async function openRedis(folder: string): Promise<BenchRedis | null> {
  const url = process.env.REDIS_URL;
  return url ? given(url) : spawnRedis(join(folder, 'redis'));
}

/** Somebody else's Redis is never cleared; finished jobs leave it by themselves. */
async function given(url: string): Promise<BenchRedis> {
  const redis = connect(url);
  const version = await readVersion(redis);
  return { url, pid: null, version, clear: async () => {}, [Symbol.asyncDispose]: async () => redis.disconnect() };
}

async function spawnRedis(dir: string): Promise<BenchRedis | null> {
  await mkdir(dir);
  const port = await findFreePort();
  const server = await spawnChild('redis-server', serverArguments(port, dir), { stdio: 'ignore' });
  if (server.pid === undefined) return null;

  const url = `redis://127.0.0.1:${port}`;
  const redis = connect(url);
  const close = async () => {
    redis.disconnect();
    await server.stop();
  };
  try {
    const version = await readVersion(redis);
    const clear = async () => void (await redis.flushall());
    return { url, pid: server.pid, version, clear, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Durable as a queue's Redis should be: written to the disk each second, and nothing is ever evicted. */
function serverArguments(port: number, dir: string): string[] {
  const settings = { port: String(port), bind: '127.0.0.1', dir, save: '', appendonly: 'yes', appendfsync: 'everysec' };
  const all = Object.entries({ ...settings, 'maxmemory-policy': 'noeviction' });
  return all.flatMap(([name, value]) => [`--${name}`, value]);
}

function connect(url: string): Redis {
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
  redis.on('error', () => {});
  return redis;
}

async function readVersion(redis: Redis): Promise<string> {
  return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? '';
}
