import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './proof.ts';
import { redisOf } from './stop-redis.ts';

/** CLIENT PAUSE: Redis takes commands and answers none of them for a while. */
export const pauseRedis: Fault = async (site, { lastsMs }) => {
  const { client } = redisOf(site);
  const from = Date.now();
  await client.call('CLIENT', 'PAUSE', String(lastsMs), 'ALL');
  await client.ping();
  const pausedMs = Date.now() - from;
  return { fired: pausedMs >= lastsMs / 2 ? `no answer for ${pausedMs} ms` : null, endedAt: Date.now(), scope: 'all' };
};

/** Redis reaches its maxmemory and, evicting nothing, refuses every write. */
export const fillRedis: Fault = async (site, { lastsMs }) => {
  const { client } = redisOf(site);
  await client.config('SET', 'maxmemory', '1');
  const refusal = await client.set('chaos', 'x').catch(String);
  try {
    await sleep(lastsMs);
  } finally {
    await client.config('SET', 'maxmemory', '0');
  }
  return { fired: refusal?.includes('OOM') ? 'writes were refused: OOM' : null, endedAt: Date.now(), scope: 'all' };
};

/** CLIENT KILL for every connection but the driver's, again and again for a while. */
export const killRedisClients: Fault = async (site, { lastsMs }) => {
  const { client } = redisOf(site);
  const until = Date.now() + lastsMs;
  let killed = 0;
  do {
    for (const type of ['normal', 'pubsub']) {
      killed += Number(await client.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'));
    }
    await sleep(150);
  } while (Date.now() < until);
  return { fired: killed > 0 ? `${killed} clients killed` : null, endedAt: Date.now(), scope: 'all' };
};
