import { forgetKeys } from '#core/checkpoint/forget-keys.ts';
import { isPassing } from '#core/checkpoint/persist.ts';
import { forgetWorker, seeWorker } from '#core/checkpoint/workers.ts';
import { newId } from '#core/id.ts';
import { allQueues } from '#core/queue/all-queues.ts';
import type { Bell, JobHandler } from '#core/queue/bell.ts';
import { timing } from '#core/turn/timing.ts';
import type { WorkerContext } from './context.ts';
import { every } from './every.ts';
import { deliverWebhook } from './jobs/deliver-webhook.ts';
import { workTurn } from './jobs/work-turn.ts';
import { rescue } from './rescue.ts';

const FORGET_EVERY_MS = 3_600_000;
const LAST_WORDS_MS = 5_000;

/** What a worker does with any job: works it and rings for what is owed then, ahead of the acknowledgement. */
export function jobHandler(context: WorkerContext): JobHandler {
  return async ({ data }) => {
    const rings = 'deliveryId' in data ? await deliverWebhook(data, context) : await workTurn(data, context);
    if (rings.length > 0) await context.ringAhead(rings);
  };
}

/** Starts a worker: answers jobs, beats for what it has on hand, rescues what others left, hears what others say. */
export async function openWorker(
  context: WorkerContext,
  bell: Bell,
  concurrency: number,
): Promise<{ close(graceMs: number): Promise<void> }> {
  const { heartbeat, live, limits, audience, turns, db } = context;
  const handle = logFailures(jobHandler(context), context);
  const id = newId('wrk');
  const beSeen = () => seeWorker(db, { id, concurrency });
  const answering = await bell.answer(allQueues(context.providers.names), handle, concurrency);
  const unhear = live.hearWorkers((message) => {
    if (message.kind === 'cancelled') {
      turns.mistrust(message.turnId);
      heartbeat.stop('cancelled', message.turnId);
    }
    if (message.kind === 'watched') audience.watched(message.turnId);
    if (message.kind === 'catch-up') audience.catchUp(message.turnId);
    if (message.kind === 'rate-limit') limits.hear(message);
  });
  live.tellWorkers({ kind: 'who-watches' });
  const routines = [
    every(timing.heartbeatMs, () => heartbeat.beat(), context),
    every(timing.rescueEveryMs, () => rescue(context), context),
    every(timing.workerSeenMs, beSeen, context),
    every(FORGET_EVERY_MS, () => forgetKeys(db), context),
  ];
  await beSeen().catch((error: unknown) => context.availability.suspect(error));
  return {
    close: async (graceMs) => {
      const steps = heartbeat.count();
      if (steps > 0) context.log.info({ steps }, `waiting for ${steps} step${steps === 1 ? '' : 's'} under way`);
      const patience = setTimeout(() => heartbeat.stop('shutdown'), graceMs);
      const closed = answering.close(graceMs + LAST_WORDS_MS);
      await closed;
      clearTimeout(patience);
      await Promise.all(routines.map((routine) => routine.stop()));
      unhear();
      // One that cannot say so is taken away a little later.
      await forgetWorker(db, id).catch(() => {});
    },
  };
}

/** A job that throws is only logged: its row is due again by itself. Codes, never texts, reach the queue. */
function logFailures(handle: JobHandler, { log, availability }: WorkerContext): JobHandler {
  return async (job) => {
    try {
      await handle(job);
    } catch (error) {
      availability.suspect(error);
      const about = { job: job.name, ...job.data };
      if (isPassing(error))
        log.warn({ ...about, code: error.code }, 'step broke off at the database; it will be rung again');
      else log.error({ ...about, err: error }, 'step broke off; it will be rung again');
    }
  };
}
