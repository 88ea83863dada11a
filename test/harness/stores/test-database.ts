import { randomBytes, randomInt } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { createDatabase, dropDatabase } from './create-database.ts';
import { TEMPLATE } from './template.ts';

/** A migrated database that ends with the server. */
export function createLastingDatabase(): Promise<string> {
  return createDatabase(serverUrl(), newName(), TEMPLATE);
}

/** A migrated database of one test's own, gone when the test is over; one that a file shares ends with the server. */
export async function createTestDatabase(): Promise<string> {
  const [server, name] = [serverUrl(), newName()];
  const url = await createDatabase(server, name, TEMPLATE);
  try {
    onTestFinished(() => dropDatabase(server, name));
  } catch {
    // Outside of a test Vitest has no end to tie this to.
  }
  return url;
}

function serverUrl(): string {
  const url: string | undefined = inject('postgresUrl');
  if (!url) throw new Error('A unit test has no stores. Move its file out of UNIT in vitest.config.ts.');
  return url;
}

function newName(): string {
  return `test_${randomBytes(6).toString('hex')}`;
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
