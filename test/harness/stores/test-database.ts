import { randomBytes, randomInt } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase } from './create-database.ts';

/** A migrated database of one test's own; it ends with the server at the end of the run. */
export async function createTestDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`, 'pawl_template');
}

/** How many databases of our own Redis each test process has. */
const DATABASES_EACH = 250;
let last = randomInt(DATABASES_EACH);

/**
 * The URL of a Redis database of one test's own: two tests in one database would take each other's jobs. A Redis named by
 * REDIS_URL has sixteen to share.
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
