import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../site/open-part.ts';
import { aimedAt } from './aimed-at.ts';
import type { Fault, Proof } from './proof.ts';

/** SIGTERM for a worker, as a deploy does it: it hands back what it cannot finish, ends, and another one comes. */
export const rollWorker: Fault = ({ workers }, strike) => roll(aimedAt(workers, strike), strike.lastsMs);

/** SIGTERM for an API: its streams end, and clients resume elsewhere. */
export const rollApi: Fault = async ({ apis }, strike) => ({
  ...(await roll(aimedAt(apis, strike), strike.lastsMs)),
  scope: 'none',
});

/** One that another fault has just brought down is up again first. */
async function roll(part: Part, awayMs: number): Promise<Proof> {
  await part.start();
  const pid = part.pid();
  const askedAt = Date.now();
  await part.stop();
  const endedAt = Date.now();
  await sleep(awayMs);
  await part.start();
  return { fired: pid > 0 ? `${part.name} ended in ${endedAt - askedAt} ms` : null, endedAt, scope: part.name };
}
