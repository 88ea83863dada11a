import { removeDeletedAgents } from '#core/checkpoint/agents/agents.ts';
import { deleteOldBulks } from '#core/checkpoint/bulk/bulk.ts';
import { deleteExpiredIdempotencyKeys } from '#core/checkpoint/idempotency.ts';
import { recordWorker, removeWorker } from '#core/checkpoint/workers.ts';
import { newId } from '#core/id.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import { allQueues } from '#core/queue/job.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import { timing } from '#core/turn/timing.ts';
import { makeSlowBatches } from './batch/slow-batches.ts';
import { type BatchLoop, makeBatchLoop } from './batches/batch-loop.ts';
import { workBulks } from './bulk/work-bulks.ts';
import type { WorkerContext } from './context.ts';
import { type DeliveryLoop, makeDeliveryLoop } from './deliveries/delivery-loop.ts';
import { loggingHandler } from './job-handler.ts';
import { closeResponses } from './routines/close-responses.ts';
import { enterAll } from './routines/enter-all.ts';
import { eraseAllHidden } from './routines/erase-hidden.ts';
import { fireSchedules } from './routines/fire-schedules.ts';
import { queueAllDelayed } from './routines/queue-delayed.ts';
import { rescue } from './routines/rescue.ts';
import { makeRetention, type Retention } from './routines/retention.ts';
import { rollUpAllUsage } from './routines/roll-up-usage.ts';
import { wakeAllWaiting } from './routines/wake-waiting.ts';

const DELETE_EXPIRED_EVERY_MS = 3_600_000;
const FINAL_WRITES_MS = 5_000;

/**
 * Starts a worker, which takes jobs and deliveries, renews leases, rescues lost work and receives messages of other
 * processes.
 */
export async function openWorker(
  context: WorkerContext,
  jobQueue: JobQueue,
  concurrency: number,
): Promise<{ close(graceMs: number): Promise<void> }> {
  const { heartbeat, heldWrites, db } = context;
  const slowBatches = makeSlowBatches(concurrency);
  const handle = slowBatches.letLeave(loggingHandler(context));
  const id = newId('wrk');
  const tools = loadedTools(context);
  const record = () => recordWorker(db, { id, concurrency, steps: heartbeat.steps(), tools });
  const workers = await jobQueue.work(allQueues(context.providers.names, tools), handle, concurrency);
  const deliveries = makeDeliveryLoop(context, concurrency);
  const unsubscribe = receiveMessages(context, deliveries.request);
  const unlisten = context.dueDeliveries.listen(deliveries.request);
  const retention = makeRetention(context);
  const batches = makeBatchLoop(context);
  const stopping = new AbortController();
  const routines = startRoutines(context, { record, deliveries, retention, batches, stopping: stopping.signal });
  await record().catch((error: unknown) => context.availability.suspect(error));
  return {
    close: async (graceMs) => {
      const steps = heartbeat.count();
      if (steps > 0) context.log.info({ steps }, `waiting for ${steps} running step${steps === 1 ? '' : 's'}`);
      const grace = setTimeout(() => {
        heldWrites.close();
        heartbeat.stop('shutdown');
      }, graceMs);
      const untilMs = graceMs + FINAL_WRITES_MS;
      unlisten();
      await Promise.all([...[workers, slowBatches, deliveries].map((part) => part.close(untilMs)), batches.close()]);
      clearTimeout(grace);
      retention.stop();
      stopping.abort();
      await Promise.all(routines.map((routine) => routine.stop()));
      unsubscribe();
      // If this fails, the worker is removed a little later.
      await removeWorker(db, id).catch(() => {});
    },
  };
}

type ByTheClock = {
  record: () => Promise<void>;
  deliveries: Pick<DeliveryLoop, 'tick'>;
  retention: Pick<Retention, 'sweep'>;
  batches: Pick<BatchLoop, 'tick'>;
  stopping: AbortSignal;
};

/** Starts the periodic routines of a worker. */
function startRoutines(context: WorkerContext, routines: ByTheClock) {
  const { heartbeat, db } = context;
  const { record, deliveries, retention, batches, stopping } = routines;
  return [
    every(timing.heartbeatMs, () => heartbeat.beat(), context),
    every(timing.rescueEveryMs, () => rescue(context), context),
    every(timing.workerSeenMs, record, context),
    // Admits turns periodically, since the process of a commit may die before it requests this (R28).
    every(timing.admitEveryMs, () => context.admission.tick(), context),
    every(timing.admitEveryMs, () => wakeAllWaiting(context), context),
    // No job waits for a delivery (R16).
    every(timing.deliverEveryMs, () => deliveries.tick(), context),
    // No job waits for the time of a delayed turn (R35).
    every(timing.delayedEveryMs, () => queueAllDelayed(context), context),
    every(timing.fireEveryMs, () => fireSchedules(context), context),
    every(timing.enterEveryMs, () => enterAll(context), context),
    every(timing.eraseEveryMs, () => eraseAllHidden(context), context),
    every(timing.closeEveryMs, () => closeResponses(context, stopping), context),
    every(timing.batchEveryMs, () => batches.tick(), context),
    every(timing.bulkEveryMs, () => workBulks(context), context),
    every(timing.rollUpEveryMs, () => rollUpAllUsage(context), context),
    every(context.retention.sweepMs, () => retention.sweep(), context),
    every(DELETE_EXPIRED_EVERY_MS, () => deleteExpiredIdempotencyKeys(db), context),
    every(DELETE_EXPIRED_EVERY_MS, () => deleteOldBulks(db), context),
    every(DELETE_EXPIRED_EVERY_MS, () => removeDeletedAgents(db), context),
  ];
}

function receiveMessages(
  { heartbeat, pubsub, rateLimits, watchers, turnCache }: WorkerContext,
  requestDeliveries: () => void,
): () => void {
  const unsubscribe = pubsub.subscribeToWorkers((message) => {
    switch (message.kind) {
      case 'cancelled':
        turnCache.invalidate(message.turnId);
        return heartbeat.stop('cancelled', message.turnId);
      case 'joined':
        return turnCache.invalidate(message.turnId);
      case 'watched':
        return watchers.markWatched(message.turnId);
      case 'catch-up':
        return watchers.catchUp(message.turnId);
      case 'rate-limit':
        return rateLimits.receive(message);
      case 'deliveries':
        return requestDeliveries();
      case 'who-watches':
    }
  });
  pubsub.publishToWorkers({ kind: 'who-watches' });
  return unsubscribe;
}

/**
 * Repeats a routine, `everyMs` after its last end. Logs the same failure once. The availability logs an unreachable
 * database.
 */
function every(
  everyMs: number,
  routine: () => Promise<unknown>,
  { log, availability }: Pick<WorkerContext, 'log' | 'availability'>,
): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, everyMs);
  let isStopped = false;
  let lastFailure: string | null = null;

  function run(): void {
    running = routine()
      .then(() => {
        lastFailure = null;
      })
      .catch((error: unknown) => {
        availability.suspect(error);
        if (!isTransient(error) && lastFailure !== String(error))
          log.warn({ err: error }, 'a routine failed and will be tried again');
        lastFailure = String(error);
      })
      .then(() => {
        if (!isStopped) timer = setTimeout(run, everyMs);
      });
  }

  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
