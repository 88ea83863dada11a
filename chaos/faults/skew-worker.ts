import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../site/open-part.ts';
import { aimedAt } from './aimed-at.ts';
import type { Fault } from './proof.ts';
import { signalPart } from './signal-part.ts';

const LOOK_MS = 50;
const PATIENCE_MS = 2_000;

/** A worker's wall clock jumps by ten minutes while it works, and back again (site/skewed-clock.ts). */
export const skewWorker: Fault = async ({ workers }, strike) => {
  const worker = aimedAt(workers, strike);
  const pid = await signalPart(worker, 'SIGUSR2');
  const shiftMs = await saidShift(worker);
  await sleep(strike.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGUSR2');
  const fired = shiftMs ? `the clock of ${worker.name} jumped by ${shiftMs / 1_000} s` : null;
  return { fired, endedAt: Date.now(), scope: 'none' };
};

/** The last shift that the worker's log tells of; 0 where it tells of none in time. */
async function saidShift(worker: Part): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const log = await readFile(worker.logFiles().at(-1) ?? '', 'utf8');
    const shifts = [...log.matchAll(/"clock shifted","shiftMs":(-?\d+)/g)];
    const last = Number(shifts.at(-1)?.[1] ?? 0);
    if (last !== 0) return last;
    await sleep(LOOK_MS);
  }
  return 0;
}
