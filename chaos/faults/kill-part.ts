import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../site/open-part.ts';
import { aimedAt } from './aimed-at.ts';
import type { Fault, Proof } from './proof.ts';

/** SIGKILL for a worker; another process takes its name a moment later. */
export const killWorker: Fault = ({ workers }, strike) => kill(aimedAt(workers, strike), strike.lastsMs);

/** SIGKILL for an API, in the middle of requests and streams. */
export const killApi: Fault = async ({ apis }, strike) => ({
  ...(await kill(aimedAt(apis, strike), strike.lastsMs)),
  scope: 'none',
});

/** One that another fault has just brought down is up again first: there is nothing to kill before. */
async function kill(part: Part, awayMs: number): Promise<Proof> {
  await part.start();
  const pid = part.pid();
  await part.kill();
  const endedAt = Date.now();
  await sleep(awayMs);
  await part.start();
  return { fired: pid > 0 ? `${part.name} (pid ${pid}) is dead` : null, endedAt, scope: part.name };
}
