import { setTimeout as pause } from 'node:timers/promises';

const GRACE_MS = 10_000;
const POLL_MS = 10;

/**
 * Stops a PostgreSQL server: fast shutdown, after 10 s an immediate one (the next start then replays its log).
 * `isGone` must answer for that very process, as its number may belong to another one afterwards.
 */
export async function stopPostmaster(pid: number, isGone: () => boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isGone()) return;
    process.kill(pid, signal);
    if (await becomesTrue(isGone)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop.`);
}

async function becomesTrue(isSo: () => boolean): Promise<boolean> {
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline) {
    if (isSo()) return true;
    await pause(POLL_MS);
  }
  return isSo();
}
