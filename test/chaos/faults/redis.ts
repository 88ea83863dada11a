import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRedis } from '../../harness/stores/redis/open-redis.ts';
import type { ChaosHarness } from '../open-harness.ts';
import type { ChaosRedis } from '../open-stores.ts';
import type { Fault, FaultOutcome } from './fault.ts';

/** Kills Redis with SIGKILL. It returns empty, like a Redis without persistence. */
export const killRedis: Fault = (harness, { lastsMs }) => stop(singleOf(harness), { awayMs: lastsMs, forget: true });

/** Kills Redis with SIGKILL. It returns with its disk's data, up to a second old. */
export const restartRedis: Fault = (harness, { lastsMs }) =>
  stop(singleOf(harness), { awayMs: lastsMs, forget: false });

/** Returns the Redis of the run. Faults that need a Redis are scheduled only if the run has a Redis. */
function redisOf({ redis }: Pick<ChaosHarness, 'redis'>): ChaosRedis {
  if (!redis) throw new Error('This run has no Redis.');
  return redis;
}

function singleOf(harness: Pick<ChaosHarness, 'redis'>): TestRedis {
  const { single } = redisOf(harness);
  if (!single) throw new Error('This run has several Redis servers, but the fault requires one.');
  return single;
}

/** Kills the master with SIGKILL. Sentinels promote its replica, and the old master returns as a replica. */
export const failOverRedis: Fault = async (harness) => {
  const redis = redisOf(harness);
  const before = await runId(redis);
  const from = Date.now();
  await redis.trio?.failOver();
  const after = await runId(redis);
  const endedAt = Date.now();
  await redis.settle();
  const evidence = before === after ? null : `another Redis was the master after ${endedAt - from} ms`;
  return { evidence, endedAt, scope: 'all' };
};

async function stop(redis: TestRedis, { awayMs, forget }: { awayMs: number; forget: boolean }): Promise<FaultOutcome> {
  const before = await runId(redis);
  await redis.kill();
  await sleep(awayMs);
  await redis.start({ forget });
  const endedAt = Date.now();
  const after = await runId(redis);
  return { evidence: before === after ? null : `Redis was unavailable for ${awayMs} ms`, endedAt, scope: 'all' };
}

/** Returns the name that Redis gives itself at each start. */
async function runId({ client }: Pick<TestRedis, 'client'>): Promise<string> {
  return /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '';
}

/** Pauses Redis (CLIENT PAUSE): it accepts commands and answers none for a while. Sentinels may take it for dead. */
export const pauseRedis: Fault = async (harness, { lastsMs }) => {
  const { client, settle } = redisOf(harness);
  const from = Date.now();
  await client.call('CLIENT', 'PAUSE', String(lastsMs), 'ALL');
  await client.ping();
  const endedAt = Date.now();
  const pausedMs = endedAt - from;
  await settle();
  return { evidence: pausedMs >= lastsMs / 2 ? `no answer for ${pausedMs} ms` : null, endedAt, scope: 'all' };
};

/** Fills Redis to its maxmemory. It evicts no keys, so it refuses every write. */
export const fillRedis: Fault = async (harness, { lastsMs }) => {
  const { client } = redisOf(harness);
  await client.config('SET', 'maxmemory', '1');
  const refusal = await client.set('chaos', 'x').catch(String);
  try {
    await sleep(lastsMs);
  } finally {
    await client.config('SET', 'maxmemory', '0');
  }
  return { evidence: refusal?.includes('OOM') ? 'writes were refused: OOM' : null, endedAt: Date.now(), scope: 'all' };
};

/** Kills every connection but the driver's (CLIENT KILL), repeatedly for a while. */
export const killRedisClients: Fault = async (harness, { lastsMs }) => {
  const { client } = redisOf(harness);
  const until = Date.now() + lastsMs;
  let killed = 0;
  do {
    for (const type of ['normal', 'pubsub']) {
      killed += Number(await client.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'));
    }
    await sleep(150);
  } while (Date.now() < until);
  return { evidence: killed > 0 ? `${killed} clients killed` : null, endedAt: Date.now(), scope: 'all' };
};
