import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './proof.ts';

/** An immediate stop of PostgreSQL, which loses nothing that was acknowledged, and a start that replays its log. */
export const restartPostgres: Fault = async ({ postgres }, { lastsMs }) => {
  const from = Date.now();
  await postgres.crash();
  await sleep(lastsMs);
  await postgres.start();
  return { fired: `PostgreSQL was away for ${Date.now() - from} ms`, endedAt: Date.now(), scope: 'all' };
};
