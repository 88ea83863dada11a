import { randomInt } from 'node:crypto';
import { inject } from 'vitest';

/** How many databases of our own Redis each process has that tests at the same time as others. */
const EACH = 250;
let last = randomInt(EACH);

/**
 * The URL of a Redis database of one test's own: two that met in one would take each other's jobs. A Redis that was named
 * by REDIS_URL has sixteen to share.
 */
export function testRedisUrl(): string {
  const url = new URL(inject('redisUrl') ?? '');
  url.pathname = `/${process.env.REDIS_URL ? randomInt(1, 16) : nextNumber()}`;
  return url.href;
}

function nextNumber(): number {
  const place = Number(process.env.VITEST_POOL_ID ?? 0) % 4;
  last = (last + 1) % EACH;
  return place * EACH + last;
}
