import { newId } from '#core/id.ts';
import type { Contender, Mode, Site } from '../contender.ts';
import { jobsOf } from '../work.ts';
import { openBullMq, type StepData } from './open-bullmq.ts';

const QUEUES = ['rounds-openai', 'tools'];

/** The jobs of a turn and nothing else: each adds the next one, to the other queue; the last one ends the turn. */
export async function bullmqAlone(site: Site, mode: Mode): Promise<Contender> {
  const jobs = jobsOf(site.work);
  const stores = { databaseUrl: site.databaseUrl, redisUrl: site.ground.redis?.url };
  const bullmq = openBullMq(stores, mode, { durable: false });
  const queues = QUEUES.map(bullmq.makeQueue);
  const ends = new Map<string, () => void>();

  const add = async (turnId: string, number: number) => {
    const options = { jobId: `${turnId}-${number}`, removeOnComplete: true, removeOnFail: true };
    await queues[number % queues.length]?.add('step', { turnId, step: String(number) }, options);
  };
  const process = async ({ data: { turnId, step } }: { data: StepData }) => {
    const number = Number(step);
    if (number < jobs) await add(turnId, number + 1);
    else ends.get(turnId)?.();
  };
  const workers = QUEUES.map((name) => bullmq.makeWorker(name, process));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));

  return {
    playTurn: async () => {
      const turnId = newId('turn');
      const ended = new Promise<void>((resolve) => ends.set(turnId, resolve));
      await add(turnId, 1);
      await ended.finally(() => ends.delete(turnId));
    },
    pids: {},
    close: async () => {
      await Promise.all([...workers, ...queues].map((part) => part.close().catch(() => {})));
      await bullmq.close();
    },
  };
}
