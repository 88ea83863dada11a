import { timing } from '#core/turn/timing.ts';
import type { History } from '../history.ts';

/** The error of a sample, which one statement takes by the database's own clock. */
const SLACK_MS = 50;

/** Returns leases that are too long, and leases on ended turns. */
export function overlongLeases({ latest, rows }: Pick<History, 'latest' | 'rows'>): string[] {
  const left = rows.turns.filter(({ leaseOwner, completedAt }) => leaseOwner !== null && completedAt !== null);
  const tooLong = latest.longestLeaseMs > timing.leaseMs + SLACK_MS;
  return [
    ...(tooLong ? [`a lease was ${Math.round(latest.longestLeaseMs)} ms long`] : []),
    ...left.map(({ id }) => `${id} has ended and still has a lease`),
  ];
}
