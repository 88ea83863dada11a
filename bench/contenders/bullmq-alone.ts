import { newId } from '#core/id.ts';
import type { Contender } from '../contender.ts';
import type { Ground } from '../ground/open-ground.ts';
import { JOBS } from '../work.ts';
import { openOnPostgres, openOnRedis, type StepData } from './open-bullmq.ts';

const QUEUES = ['rounds-openai', 'tools'];

/** The jobs of a turn and nothing else: each adds the next one, to the other queue; the last one ends the turn. */
export async function bullmqAlone({ postgres, redis }: Ground, on: 'redis' | 'postgres'): Promise<Contender> {
  await redis?.clear();
  const databaseUrl = await postgres.freshDatabase();
  const bullmq = on === 'redis' && redis ? openOnRedis(redis.url) : openOnPostgres(databaseUrl);
  const queues = QUEUES.map((name) => quiet(bullmq.makeQueue(name)));
  const ends = new Map<string, () => void>();

  const add = async (data: StepData) => {
    const opts = { jobId: `${data.turnId}-${data.step}`, removeOnComplete: true, removeOnFail: true };
    await queues[(data.step - 1) % queues.length]?.add('step', data, opts);
  };
  const process = async ({ data: { turnId, step } }: { data: StepData }) => {
    if (step < JOBS) await add({ turnId, step: step + 1 });
    else ends.get(turnId)?.();
  };
  const workers = QUEUES.map((name) => quiet(bullmq.makeWorker(name, process)));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));

  return {
    playTurn: async () => {
      const turnId = newId('turn');
      const ended = new Promise<void>((resolve) => ends.set(turnId, resolve));
      await add({ turnId, step: 1 });
      await ended.finally(() => ends.delete(turnId));
    },
    pids: {},
    close: async () => {
      await Promise.all([...workers, ...queues].map((part) => part.close().catch(() => {})));
      await bullmq.close();
    },
  };
}

function quiet<T extends { on(event: 'error', hear: () => void): unknown }>(part: T): T {
  part.on('error', () => {});
  return part;
}
