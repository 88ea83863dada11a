import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from './history.ts';
import type { Site } from './site/open-site.ts';

const EVERY_MS = 500;

/** Looks at the rows while a run is on, until it is over: how late the latest is, and how long the longest hold. */
export async function watchRows({ postgres: { sql } }: Site, over: AbortSignal): Promise<History['latest']> {
  const latest = { lateMs: 0, longestHoldMs: 0 };
  while (!over.aborted) {
    // Not now(): the statement may wait for a lock, and would then see holds that were taken after it began.
    const [row] = await sql<{ late: number; hold: number }[]>`
      select coalesce(max(extract(epoch from clock_timestamp() - due_at)), 0)::double precision * 1000 as late,
        coalesce(max(extract(epoch from held_until - clock_timestamp())), 0)::double precision * 1000 as hold
      from turns where due_at is not null and due_at < 'infinity'`.catch(() => []);
    latest.lateMs = Math.max(latest.lateMs, row?.late ?? 0);
    latest.longestHoldMs = Math.max(latest.longestHoldMs, row?.hold ?? 0);
    await sleep(EVERY_MS);
  }
  return latest;
}
