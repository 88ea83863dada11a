import { randomBytes, randomInt } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { createDatabase, dropDatabase } from './create-database.ts';
import { TEMPLATE } from './template.ts';

/** Creates a migrated database that ends with the server. */
export function createLastingDatabase(): Promise<string> {
  return createDatabase(serverUrl(), newName(), TEMPLATE);
}

/** Creates a migrated database for one test, dropped after the test. If a file shares it, it ends with the server. */
export async function createTestDatabase(): Promise<string> {
  const [server, name] = [serverUrl(), newName()];
  const url = await createDatabase(server, name, TEMPLATE);
  try {
    onTestFinished(() => dropDatabase(server, name));
  } catch {
    // Outside of a test Vitest offers no hook for the drop.
  }
  return url;
}

function serverUrl(): string {
  const url: string | undefined = inject('postgresUrl');
  if (!url) throw new Error('A unit test has no stores. Remove the file from UNIT in `vitest.config.ts`.');
  return url;
}

function newName(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}

/** The number of databases of the tests' Redis for each test process. */
const DATABASES_EACH = 250;
let last = randomInt(DATABASES_EACH);

/**
 * Returns the URL of a Redis database for one test: tests in one database would take each other's jobs. A Redis named
 * by REDIS_URL has sixteen databases to share.
 */
export function testRedisUrl(): string {
  const url = new URL(inject('redisUrl') ?? '');
  url.pathname = `/${process.env.REDIS_URL ? randomInt(1, 16) : nextNumber()}`;
  return url.href;
}

function nextNumber(): number {
  const pool = Number(process.env.VITEST_POOL_ID ?? 0) % 4;
  last = (last + 1) % DATABASES_EACH;
  return pool * DATABASES_EACH + last;
}
