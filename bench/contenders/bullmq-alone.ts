import { newId } from '#core/id.ts';
import type { Contender, ContenderSetup } from '../contender.ts';
import type { Mode } from '../mode.ts';
import { jobsOf } from '../work.ts';
import { openBullMq, type StepData } from './open-bullmq.ts';

const QUEUE = 'turns-openai';

/** The jobs of a turn and nothing else: each adds the next one; the last one ends the turn. */
export async function bullmqAlone(setup: ContenderSetup, mode: Mode): Promise<Contender> {
  const jobs = jobsOf(setup.work);
  const stores = { databaseUrl: setup.databaseUrl, redisUrl: setup.harness.redis?.url };
  const bullmq = openBullMq(stores, mode, { durable: false });
  const queue = bullmq.makeQueue(QUEUE);
  const ends = new Map<string, () => void>();

  const add = async (turnId: string, number: number) => {
    const options = { jobId: `${turnId}-${number}`, removeOnComplete: true, removeOnFail: true };
    await queue.add('step', { turnId, step: String(number) }, options);
  };
  const process = async ({ data: { turnId, step } }: { data: StepData }) => {
    const number = Number(step);
    if (number < jobs) await add(turnId, number + 1);
    else ends.get(turnId)?.();
  };
  const worker = bullmq.makeWorker(QUEUE, process);
  await worker.waitUntilReady();

  return {
    playTurn: async () => {
      const turnId = newId('turn');
      const ended = new Promise<void>((resolve) => ends.set(turnId, resolve));
      await add(turnId, 1);
      await ended.finally(() => ends.delete(turnId));
    },
    pids: {},
    close: async () => {
      await Promise.all([worker, queue].map((part) => part.close().catch(() => {})));
      await bullmq.close();
    },
  };
}
