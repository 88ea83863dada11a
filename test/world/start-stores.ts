import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { createDatabase } from './create-database.ts';
import { startRedis } from './start-redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    redisUrl: string | null;
  }
}

/** One PostgreSQL of our own with a migrated template database, and one Redis where one can be had. */
export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pawl-test-'));
  const postgres = await startPostgres({ dataDir, durable: false });
  const template = await createDatabase(postgres.url, 'pawl_template');
  await migrateAll(template);
  project.provide('postgresUrl', postgres.url);

  const redis = await startRedis();
  project.provide('redisUrl', redis?.url ?? null);
  if (!redis) announceNoRedis();

  return async () => {
    await redis?.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

function announceNoRedis(): void {
  const message =
    'No Redis: set REDIS_URL, put redis-server on the PATH or start Docker, and the Redis suites run too.';
  if (process.env.REQUIRE_REDIS) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
}
