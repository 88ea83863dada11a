import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../site/open-site.ts';
import { persevere } from '../site/persevere.ts';
import type { Fault } from './proof.ts';

const EVERY_MS = 5;

/** Everything in the queue is gone, again and again for a while, so that what is rung meanwhile is lost too. */
export const loseQueue: Fault = async (site, { lastsMs }) => {
  const gone = await emptyQueue(site, lastsMs);
  return { fired: gone > 0 ? `${gone} jobs or keys lost` : null, endedAt: Date.now(), scope: 'all' };
};

/** Empties the queue for a while: FLUSHALL, or its table. Answers how many keys or jobs were lost. */
export async function emptyQueue({ redis, postgres: { sql } }: Site, lastsMs: number): Promise<number> {
  let gone = 0;
  for (const until = Date.now() + lastsMs; Date.now() < until; await sleep(EVERY_MS)) {
    if (redis) {
      gone += await redis.client.dbsize();
      await redis.client.flushall();
    } else gone += (await persevere(() => sql`delete from bullmq.job`)).count;
  }
  return gone;
}
