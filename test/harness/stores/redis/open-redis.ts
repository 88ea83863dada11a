import { mkdir, rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { type Child, spawnChild } from '../../parts/spawn-child.ts';
import { type Protection, settingsOf } from './protection.ts';

/** A Redis of our own, which can be killed and come back at the same URL. */
export type TestRedis = AsyncDisposable & {
  url: string;
  port: number;
  pid(): number;
  /** A connection past all links, which opens with its first command. */
  client: Redis;
  /** Ends it with SIGKILL; it stays away until `start`. */
  kill(): Promise<void>;
  /** Starts it again on the same port, unless it runs, with what it has on the disk unless that is to be forgotten. */
  start(options?: { forget: boolean }): Promise<void>;
};

/**
 * A folder makes it durable, as the Redis of a queue should be; without one it keeps nothing. A protected one takes TLS only, and
 * wants its password.
 */
type RedisOptions = { folder?: string; settings?: Record<string, string>; protection?: Protection | undefined };

/** The programs that are tried, in this order; REDIS_SERVER names another one, so that all tests run with that. */
const PROGRAMS = process.env.REDIS_SERVER ? [process.env.REDIS_SERVER] : ['redis-server', 'valkey-server'];

/** Starts a Redis server with these arguments; null where there is none on the PATH. */
export async function spawnRedis(args: string[]): Promise<Child | null> {
  for (const program of PROGRAMS) {
    const server = await spawnChild(program, args, { stdio: 'ignore' });
    if (server) return server;
  }
  return null;
}

/** Starts a `redis-server` on a free port; null where there is none on the PATH. */
export async function openRedis({ folder, settings = {}, protection }: RedisOptions = {}): Promise<TestRedis | null> {
  const port = await findFreePort();
  const kept = folder ? durable(folder) : VOLATILE;
  const at = protection ? settingsOf(protection, port) : { port: String(port) };
  const args = serverArguments({ ...at, bind: '127.0.0.1', ...kept, ...settings });
  if (folder) await mkdir(folder);
  let server = await spawnRedis(args);
  if (!server) return null;

  const url = `${protection ? `rediss://:${protection.password}@` : 'redis://'}127.0.0.1:${port}`;
  await untilUp(url);
  const client = connect(url);
  return {
    url,
    port,
    pid: () => server?.pid ?? 0,
    client,
    kill: async () => void (await server?.kill('SIGKILL')),
    start: async ({ forget } = { forget: false }) => {
      if (server && !server.hasEnded()) return;
      if (folder && forget) await rm(folder, { recursive: true }).then(() => mkdir(folder));
      server = await spawnRedis(args);
      await untilUp(url);
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect();
      await server?.stop();
    },
  };
}

const VOLATILE = { save: '', appendonly: 'no', databases: '1024' };

/** Written to the disk each second, and nothing is ever evicted. */
function durable(dir: string): Record<string, string> {
  return { dir, save: '', appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' };
}

function serverArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Its sockets are opened with the first command: tests count the connections there are. */
function connect(url: string): Redis {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 50, maxRetriesPerRequest: 200 });
  client.on('error', () => {});
  return client;
}

async function untilUp(url: string): Promise<void> {
  const client = connect(url);
  await client.ping().finally(() => client.disconnect());
}
