import { randomInt } from 'node:crypto';
import { inject } from 'vitest';

/** The URL of a Redis database of one test's own. A Redis that was named by REDIS_URL has sixteen to share. */
export function testRedisUrl(): string {
  const url = new URL(inject('redisUrl') ?? '');
  url.pathname = `/${randomInt(1, process.env.REDIS_URL ? 16 : 1024)}`;
  return url.href;
}
