import { mkdir, rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { type Child, spawnChild } from '../../bench/ground/spawn-child.ts';

/** The Redis of a run, written to the disk each second as a queue's Redis should be. */
export type SiteRedis = AsyncDisposable & {
  url: string;
  port: number;
  /** The driver's own connection, past all links. */
  client: Redis;
  /** Ends it with SIGKILL; with `forget` it comes back empty. */
  kill(options: { forget: boolean }): Promise<void>;
  /** Starts it again on the same port, with what it has on the disk. */
  start(): Promise<void>;
};

/** Starts a `redis-server`; null where there is none on the PATH. */
export async function openSiteRedis(dir: string): Promise<SiteRedis | null> {
  await mkdir(dir);
  const port = await findFreePort();
  const start = () => spawnChild('redis-server', serverArguments(port, dir), { stdio: 'ignore' });
  let server: Child = await start();
  if (server.pid === undefined) return null;

  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
  client.on('error', () => {});
  return {
    url,
    port,
    client,
    kill: async ({ forget }) => {
      process.kill(server.pid ?? 0, 'SIGKILL');
      await server.stop();
      if (forget) await rm(dir, { recursive: true }).then(() => mkdir(dir));
    },
    start: async () => {
      server = await start();
      await client.ping();
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect();
      await server.stop();
    },
  };
}

function serverArguments(port: number, dir: string): string[] {
  const settings = { port: String(port), bind: '127.0.0.1', dir, save: '', appendonly: 'yes', appendfsync: 'everysec' };
  const all = Object.entries({ ...settings, 'maxmemory-policy': 'noeviction' });
  return all.flatMap(([name, value]) => [`--${name}`, value]);
}
