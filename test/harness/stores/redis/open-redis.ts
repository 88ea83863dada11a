import { mkdir, rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { type Child, spawnChild } from '../../parts/spawn-child.ts';
import { type Protection, settingsOf } from './protection.ts';

/** A separate Redis that can be killed and restart at the same URL. */
export type TestRedis = AsyncDisposable & {
  url: string;
  port: number;
  pid(): number;
  /** A connection without links, which opens with its first command. */
  client: Redis;
  /** Ends it with SIGKILL. It stays down until `start`. */
  kill(): Promise<void>;
  /** Starts it again on the same port, unless it runs. It loads the data from its disk unless `forget` is set. */
  start(options?: { forget: boolean }): Promise<void>;
};

/**
 * A folder makes it durable, as the Redis of a queue should be. Without a folder it keeps no data. A protected Redis
 * accepts TLS only, and requires its password.
 */
type RedisOptions = { folder?: string; settings?: Record<string, string>; protection?: Protection | undefined };

/** The programs to try, in order. REDIS_SERVER names another program, so that all tests run with that program. */
const PROGRAMS = process.env.REDIS_SERVER ? [process.env.REDIS_SERVER] : ['redis-server', 'valkey-server'];

/** Starts a Redis server with these arguments. Returns null if the PATH has none. */
export async function spawnRedis(args: string[]): Promise<Child | null> {
  for (const program of PROGRAMS) {
    const server = await spawnChild(program, args, { stdio: 'ignore' });
    if (server) return server;
  }
  return null;
}

/** Starts a `redis-server` on a free port. Returns null if the PATH has none. */
export async function openRedis({ folder, settings = {}, protection }: RedisOptions = {}): Promise<TestRedis | null> {
  const kept = folder ? durable(folder) : VOLATILE;
  const argumentsAt = (port: number) => {
    const at = protection ? settingsOf(protection, port) : { port: String(port) };
    return serverArguments({ ...at, bind: '127.0.0.1', ...kept, ...settings });
  };
  const urlOf = (port: number) => `${protection ? `rediss://:${protection.password}@` : 'redis://'}127.0.0.1:${port}`;
  if (folder) await mkdir(folder);
  const started = await spawnOnFreePort(argumentsAt, urlOf);
  if (!started) return null;

  const { port } = started;
  let server: Child | null = started.server;
  const [args, url] = [argumentsAt(port), urlOf(port)];
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

/** Returns settings that write to the disk each second and never evict a key. */
function durable(dir: string): Record<string, string> {
  return { dir, save: '', appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' };
}

function serverArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** The most servers that are started until a server has its ports. */
const MOST_STARTED = 10;

/**
 * Starts a server on a free port, and waits until it answers. Another process may take the port first, or the port of
 * the cluster's bus. That port is 10,000 higher and often belongs to an outgoing connection. Then the server ends,
 * and the next server has another port.
 */
async function spawnOnFreePort(argumentsAt: (port: number) => string[], urlOf: (port: number) => string) {
  for (let started = 1; started <= MOST_STARTED; started += 1) {
    const port = await findFreePort();
    const server = await spawnRedis(argumentsAt(port));
    if (!server) return null;
    if (await hasComeUp(server, urlOf(port))) return { server, port };
  }
  throw new Error(`${MOST_STARTED} Redis servers exited at their start: ${argumentsAt(0).join(' ')}`);
}

async function hasComeUp(server: Child, url: string): Promise<boolean> {
  const client = connect(url, () => (server.hasEnded() ? null : RETRY_MS));
  const answers = await client.ping().then(
    () => true,
    () => false,
  );
  client.disconnect();
  if (!answers && !server.hasEnded()) throw new Error(`The Redis server at ${url} does not answer.`);
  return answers && !server.hasEnded();
}

const RETRY_MS = 50;

/** Connects with the first command, since tests count connections. */
function connect(url: string, retryStrategy: () => number | null = () => RETRY_MS): Redis {
  const client = new Redis(url, { lazyConnect: true, retryStrategy, maxRetriesPerRequest: 200 });
  client.on('error', () => {});
  return client;
}

async function untilUp(url: string): Promise<void> {
  const client = connect(url);
  await client.ping().finally(() => client.disconnect());
}
