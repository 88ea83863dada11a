import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../site/open-site.ts';
import type { SiteRedis } from '../site/site-redis.ts';
import type { Fault, Proof } from './proof.ts';

/** SIGKILL for Redis; it comes back empty, as one without persistence does. */
export const killRedis: Fault = (site, { lastsMs }) => stop(redisOf(site), { awayMs: lastsMs, forget: true });

/** SIGKILL for Redis; it comes back with what it had written to the disk, up to a second ago. */
export const restartRedis: Fault = (site, { lastsMs }) => stop(redisOf(site), { awayMs: lastsMs, forget: false });

/** The Redis of the site; faults that need one are scheduled only where there is one. */
export function redisOf({ redis }: Pick<Site, 'redis'>): SiteRedis {
  if (!redis) throw new Error('There is no Redis in this run.');
  return redis;
}

async function stop(redis: SiteRedis, { awayMs, forget }: { awayMs: number; forget: boolean }): Promise<Proof> {
  const before = await runId(redis);
  await redis.kill({ forget });
  await sleep(awayMs);
  await redis.start();
  const endedAt = Date.now();
  const after = await runId(redis);
  return { fired: before === after ? null : `Redis was away for ${awayMs} ms`, endedAt, scope: 'all' };
}

/** A name that Redis gives itself at each start. */
async function runId({ client }: SiteRedis): Promise<string> {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}
