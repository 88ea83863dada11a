import type { TestProject } from 'vitest/node';
import { fastestParent, newFolder } from '../new-folder.ts';
import { openPostgres } from './open-postgres.ts';
import { openRedis } from './redis/open-redis.ts';
import { runStatement } from './run-statement.ts';
import { createTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    redisUrl: string | null;
  }
}

/** Starts a PostgreSQL with a migrated template database, and a Redis if possible. */
export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('test', await fastestParent()));
  const postgres = opened.use(await openPostgres({ folder: folder.path, durable: false }));
  // Autovacuum would change plans and times from run to run.
  await runStatement(postgres.url, 'alter system set autovacuum = off');
  await runStatement(postgres.url, 'select pg_reload_conf()');
  await createTemplate(postgres.url);
  project.provide('postgresUrl', postgres.url);

  const redis = opened.use(await findRedis());
  project.provide('redisUrl', redis?.url ?? null);
  if (!redis) announceNoRedis();

  const closing = opened.move();
  return () => closing.disposeAsync();
}

type FoundRedis = AsyncDisposable & { url: string };

/**
 * Finds a Redis for the tests: the named Redis, else `redis-server` on the PATH, else a container, else none. The
 * PATH cannot hide a container, so HIDE_DOCKER is set for a run that must find none.
 */
async function findRedis(): Promise<FoundRedis | null> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, [Symbol.asyncDispose]: async () => {} };
  return (await openRedis()) ?? (process.env.HIDE_DOCKER ? null : await startContainer());
}

async function startContainer(): Promise<FoundRedis | null> {
  const { GenericContainer } = await import('testcontainers');
  try {
    const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
    const url = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
    return { url, [Symbol.asyncDispose]: async () => void (await container.stop()) };
  } catch {
    return null;
  }
}

function announceNoRedis(): void {
  const message =
    'No Redis: the Redis suites are skipped. Set REDIS_URL, put redis-server on the PATH, or start Docker.';
  if (process.env.REQUIRE_REDIS) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
}
