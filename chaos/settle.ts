import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './site/open-site.ts';

const LOOK_MS = 300;

/**
 * Waits, after the last fault, until everything has come to its end, `limitMs` at most: a turn that still is active then
 * is stuck. Deliveries that wait for their next attempt are hurried, since those pauses take hours.
 */
export async function settle({ postgres: { sql } }: Site, load: Promise<void>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  let isPlayed = false;
  void load.then(() => {
    isPlayed = true;
  });
  while (performance.now() < deadline) {
    await sql`update deliveries set due_at = now(), next_attempt_at = now() where status = 'pending'
      and next_attempt_at > now() and held_until is null and due_at > now() + interval '2 seconds'`;
    const [open] = await sql<{ count: number }[]>`select (select count(*) from turns where due_at is not null)::int
      + (select count(*) from deliveries where due_at is not null)::int as count`;
    if (isPlayed && open?.count === 0) return;
    await sleep(LOOK_MS);
  }
}
