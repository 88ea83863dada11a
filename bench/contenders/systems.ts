import { join } from 'node:path';
import { newId } from '#core/id.ts';
import { startProgram } from '#test/harness/parts/start-program.ts';
import type { Contender, Setup, System } from '../contender.ts';
import { createTables, readEnd, startNaiveTurn } from '../naive-loop/naive-turn.ts';
import { type Naive, openNaive } from '../naive-loop/open-naive.ts';
import { ANSWER, CALLS, inputOf, type Work } from '../work.ts';
import { engine } from './engine.ts';
import { pawl } from './pawl.ts';

/** All contenders of the scenario `throughput`, in the order of the report. */
export const systems: System[] = (['redis', 'postgres'] as const).flatMap((mode) => [
  { name: `pawl-${mode}`, mode, open: pawl },
  { name: `engine-${mode}`, mode, open: engine },
  { name: `naive-${mode}`, mode, open: naive },
]);

/**
 * Opens the loop that a user would write by hand: a job for each step, a transaction for the results of the step, and
 * the next job after the commit. It has no API, so turns are started here, and the worker publishes their ends.
 */
async function naive({ harness, databaseUrl, work, mode }: Setup): Promise<Contender> {
  const redisUrl = mode === 'redis' ? harness.redis?.url : undefined;
  const loop = openNaive(databaseUrl, redisUrl);
  await createTables(loop.sql);
  const waiting = new Map<string, () => void>();
  await loop.ends.subscribe((turnId) => waiting.get(turnId)?.());
  const worker = await startProgram({
    file: 'bench/naive-loop/main.ts',
    nodeOptions: harness.profiling(`naive-${mode}`),
    env: { DATABASE_URL: databaseUrl, MODEL_URL: harness.modelUrl, ...(redisUrl ? { REDIS_URL: redisUrl } : {}) },
    ready: /ready/,
    output: { file: join(harness.folder, 'naive-loop.log') },
  });
  return {
    playTurn: () => playTurn(loop, waiting, work),
    pids: { worker: worker.pid },
    close: async () => {
      await worker.stop();
      await loop.close();
    },
  };
}

async function playTurn(loop: Naive, waiting: Map<string, () => void>, work: Work): Promise<void> {
  const id = newId('turn');
  const ended = new Promise<void>((resolve) => waiting.set(id, resolve));
  await startNaiveTurn(loop.sql, id, inputOf(work));
  await loop.add(id, 'round-1');
  await ended;
  waiting.delete(id);
  const end = await readEnd(loop.sql, id);
  const isRight = end?.status === 'completed' && end.output === ANSWER && end.messages === messagesOf(work);
  if (!isRight) throw new Error(`A turn of the naive loop ended in an unexpected way: ${JSON.stringify(end)}`);
}

/**
 * Counts the messages of a turn: the input, the answer and, in each round between, a reply and the results of its
 * calls.
 */
function messagesOf({ rounds }: Work): number {
  return 2 + (1 + CALLS.length) * (rounds - 1);
}
