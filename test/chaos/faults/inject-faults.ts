import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRecord } from '../history.ts';
import type { Load } from '../load/play-turns.ts';
import type { ChaosHarness } from '../open-harness.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import type { FaultKind } from './fault-kinds.ts';
import { floodApi } from './flood.ts';
import { cutPostgres, delayAll, loseAcks, partApi, partRedis, partWorker, slowPostgres } from './links.ts';
import { killApi, killWorker, misdateWorker, pauseWorker, rollApi, rollWorker, skewWorker } from './parts.ts';
import {
  cancelStatements,
  failOverPostgres,
  lockTurns,
  partStandby,
  restartPostgres,
  takeAllConnections,
  terminateBackends,
} from './postgres.ts';
import { doubleJobs, loseQueue, pauseRescuers, replayJobs } from './queue.ts';
import { troubleReceiver } from './receiver.ts';
import { failOverRedis, fillRedis, killRedis, killRedisClients, pauseRedis, restartRedis } from './redis.ts';
import { type ScheduledFault, targetOf } from './schedule.ts';

/** A trouble of turns: after the run, the requests to their model show its effect. */
const troubleTurns: Fault = async () => ({ evidence: null, endedAt: Date.now(), scope: 'none' });

const faults: Record<FaultKind, Fault> = {
  'worker-kill': killWorker,
  'worker-pause': pauseWorker,
  'worker-roll': rollWorker,
  'worker-skew': skewWorker,
  'worker-misdated': misdateWorker,
  'worker-cut-off': partWorker('blackhole'),
  'worker-parted': partWorker('hold'),
  'worker-unanswered': partWorker('hold-replies'),
  'poison-turn': troubleTurns,
  'api-kill': killApi,
  'api-roll': rollApi,
  'api-cut-off': partApi('blackhole'),
  'api-unanswered': partApi('hold-replies'),
  'queue-lost': loseQueue,
  'queue-doubled': doubleJobs,
  'queue-replayed': replayJobs,
  'rescuers-paused': pauseRescuers,
  'redis-kill': killRedis,
  'redis-restart': restartRedis,
  'redis-pause': pauseRedis,
  'redis-full': fillRedis,
  'redis-clients-killed': killRedisClients,
  'redis-cut-off': partRedis('blackhole'),
  'redis-parted': partRedis('hold'),
  'redis-unanswered': partRedis('hold-replies'),
  'redis-failover': failOverRedis,
  'postgres-failover': failOverPostgres,
  'standby-parted': partStandby,
  'postgres-restart': restartPostgres,
  'postgres-terminated': terminateBackends,
  'postgres-cancelled': cancelStatements,
  'postgres-locked': lockTurns,
  'postgres-full': takeAllConnections,
  'postgres-slow': slowPostgres,
  'postgres-cut': cutPostgres,
  'postgres-ack-lost': loseAcks,
  'network-delayed': delayAll('delay'),
  'network-lossy': delayAll('lossy'),
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
  flood: floodApi,
};

const LIMIT_MS = 60_000;
const MAX_ATTEMPTS = 12;

/** Injects the faults as scheduled, from now on. Two faults at one target follow each other. */
export async function injectFaults(
  schedule: ScheduledFault[],
  harness: ChaosHarness,
  load: Load,
): Promise<FaultRecord[]> {
  const startedAt = Date.now();
  const targetFree = new Map<string, Promise<unknown>>();
  return Promise.all(
    schedule.map(async (scheduled) => {
      await sleep(Math.max(0, startedAt + scheduled.atMs - Date.now()));
      const before = targetFree.get(targetOf(scheduled)) ?? Promise.resolve();
      const injected = before.then(() => injectUntilEffective(scheduled, harness, load));
      targetFree.set(targetOf(scheduled), injected);
      return injected;
    }),
  );
}

/**
 * Injects a fault while turns are in progress, and posts turns first if none are. If a fault has no effect (no write
 * was made then, or another fault had ended its target), it is repeated while more turns are posted.
 */
async function injectUntilEffective(
  scheduled: ScheduledFault,
  harness: ChaosHarness,
  load: Load,
): Promise<FaultRecord> {
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1 || !load.isInProgress()) await load.addLoad();
    const record = await injectOnce(scheduled, harness);
    // The effect of a trouble of turns is known only at the end.
    const isOver = record.evidence !== null || faults[scheduled.kind] === troubleTurns;
    if (isOver || attempt === MAX_ATTEMPTS) return record;
  }
}

/** Injects a fault once. A failed fault is recorded as a fault without an effect. */
async function injectOnce(scheduled: ScheduledFault, harness: ChaosHarness): Promise<FaultRecord> {
  const from = Date.now();
  const failed = (error: unknown): FaultOutcome => {
    process.stderr.write(`fault ${scheduled.number} ${scheduled.kind} failed: ${String(error)}\n`);
    return { evidence: null, endedAt: Date.now(), scope: 'none' };
  };
  const outcome = await inTime(faults[scheduled.kind](harness, scheduled), LIMIT_MS + scheduled.lastsMs).catch(failed);
  return { number: scheduled.number, kind: scheduled.kind, from, ...outcome };
}

async function inTime<Result>(promise: Promise<Result>, limitMs: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${limitMs} ms`)), limitMs);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
