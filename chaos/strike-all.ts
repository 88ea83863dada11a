import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from './fault-kinds.ts';
import { cutOffApi, cutOffRedis, cutOffWorker, cutPostgres, loseAcks, slowPostgres } from './faults/harm-links.ts';
import { killApi, killWorker } from './faults/kill-part.ts';
import { loseQueue } from './faults/lose-queue.ts';
import { pauseRescuers } from './faults/pause-rescuers.ts';
import { pauseWorker } from './faults/pause-worker.ts';
import type { Fault, Proof } from './faults/proof.ts';
import { doubleJobs, replayJobs } from './faults/repeat-jobs.ts';
import { restartPostgres } from './faults/restart-postgres.ts';
import { rollApi, rollWorker } from './faults/roll-part.ts';
import { skewWorker } from './faults/skew-worker.ts';
import { killRedis, restartRedis } from './faults/stop-redis.ts';
import { cancelStatements, lockTurns, takeAllConnections, terminateBackends } from './faults/trouble-postgres.ts';
import { troubleReceiver } from './faults/trouble-receiver.ts';
import { fillRedis, killRedisClients, pauseRedis } from './faults/trouble-redis.ts';
import { troubleTurns } from './faults/trouble-turns.ts';
import type { FaultRecord } from './history.ts';
import type { Load } from './load/play-all.ts';
import { placeOf, type Strike } from './schedule.ts';
import type { Site } from './site/open-site.ts';

const faults: Record<FaultKind, Fault> = {
  'worker-kill': killWorker,
  'worker-pause': pauseWorker,
  'worker-roll': rollWorker,
  'worker-skew': skewWorker,
  'worker-cut-off': cutOffWorker,
  'poison-turn': troubleTurns,
  'api-kill': killApi,
  'api-roll': rollApi,
  'api-cut-off': cutOffApi,
  'queue-lost': loseQueue,
  'queue-doubled': doubleJobs,
  'queue-replayed': replayJobs,
  'rescuers-paused': pauseRescuers,
  'redis-kill': killRedis,
  'redis-restart': restartRedis,
  'redis-pause': pauseRedis,
  'redis-full': fillRedis,
  'redis-clients-killed': killRedisClients,
  'redis-cut-off': cutOffRedis,
  'postgres-restart': restartPostgres,
  'postgres-terminated': terminateBackends,
  'postgres-cancelled': cancelStatements,
  'postgres-locked': lockTurns,
  'postgres-full': takeAllConnections,
  'postgres-slow': slowPostgres,
  'postgres-cut': cutPostgres,
  'postgres-ack-lost': loseAcks,
  'provider-429': troubleTurns,
  'provider-503': troubleTurns,
  'provider-hang': troubleTurns,
  'provider-cut': troubleTurns,
  'provider-drip': troubleTurns,
  'provider-garbage': troubleTurns,
  'receiver-down': troubleReceiver('down'),
  'receiver-failing': troubleReceiver('failing'),
  'receiver-slow': troubleReceiver('slow'),
  'receiver-gone': troubleReceiver('gone'),
};

const LIMIT_MS = 60_000;
const MOST_TRIES = 12;

/** Strikes the site as scheduled, from now on; two faults at one place come one after the other. */
export async function strikeAll(strikes: Strike[], site: Site, load: Load): Promise<FaultRecord[]> {
  const startedAt = Date.now();
  const placeFree = new Map<string, Promise<unknown>>();
  return Promise.all(
    strikes.map(async (strike) => {
      await sleep(Math.max(0, startedAt + strike.atMs - Date.now()));
      const before = placeFree.get(placeOf(strike)) ?? Promise.resolve();
      const struck = before.then(() => strikeUntilFired(strike, site, load));
      placeFree.set(placeOf(strike), struck);
      return struck;
    }),
  );
}

/**
 * A fault needs turns under way: where there are none, some are added before it strikes. One that missed (nothing was
 * written just then, or another fault had brought down what it aims at) strikes again while more turns are posted.
 */
async function strikeUntilFired(strike: Strike, site: Site, load: Load): Promise<FaultRecord> {
  for (let tries = 1; ; tries += 1) {
    if (tries > 1 || !load.isUnderWay()) await load.addLoad();
    const record = await strikeOnce(strike, site);
    // Whether a trouble fired that comes with turns is known only in the end.
    const isOver = record.fired !== null || faults[strike.kind] === troubleTurns;
    if (isOver || tries === MOST_TRIES) return record;
  }
}

/** A fault that could not be done is recorded as one that did not fire. */
async function strikeOnce(strike: Strike, site: Site): Promise<FaultRecord> {
  const from = Date.now();
  const failed = (error: unknown): Proof => {
    process.stderr.write(`fault ${strike.number} ${strike.kind} failed: ${String(error)}\n`);
    return { fired: null, endedAt: Date.now(), scope: 'none' };
  };
  const proof = await inTime(faults[strike.kind](site, strike), LIMIT_MS + strike.lastsMs).catch(failed);
  return { number: strike.number, kind: strike.kind, from, ...proof };
}

async function inTime<Result>(promise: Promise<Result>, limitMs: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${limitMs} ms`)), limitMs);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
