import { timing } from '#core/turn/timing.ts';
import type { History } from '../history.ts';

/** What a sample may be off: it is taken by the database's own clock, within one statement. */
const SLACK_MS = 50;

/** Holds that reach further than a lease, and holds on turns that have ended. */
export function overlongHolds({ latest, rows }: Pick<History, 'latest' | 'rows'>): string[] {
  const left = rows.turns.filter(({ heldBy, completedAt }) => heldBy !== null && completedAt !== null);
  const tooLong = latest.longestHoldMs > timing.leaseMs + SLACK_MS;
  return [
    ...(tooLong ? [`a hold was ${Math.round(latest.longestHoldMs)} ms long, more than a lease`] : []),
    ...left.map(({ id }) => `${id} has ended and is still held`),
  ];
}
