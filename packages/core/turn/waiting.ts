import { isWaiting } from './next-step.ts';
import { isTerminal, type ListedTurn } from './turn.ts';

/** What a turn that does not run waits for, since when, and until when where that is known. Times as the turn has them. */
export type Waiting = {
  for: 'turn' | 'client' | 'approval' | 'retry' | 'provider' | 'slot';
  since: string;
  until?: string;
};

type ListedOrWhole = Pick<ListedTurn, 'status' | 'work'> & { rounds: Pick<ListedTurn['rounds'][number], 'calls'>[] };

/**
 * Says why no step of a turn is at work, by its columns: of several reasons the first in the order of the type. Null while a
 * step is at work, and after the end. A step that was just made owed may be at work without a hold.
 */
export function waitingOf(turn: ListedOrWhole): Waiting | null {
  const { status, work } = turn;
  const { held, quiet, retryAt, rateLimited, waitsSince: since } = work;
  if (isTerminal(status)) return null;
  if (!work.atHead) return { for: 'turn', since };
  if (held) return null;
  if (retryAt === null && status === 'in_progress' && quiet) return null;

  return waitingOutside(turn) ?? postponed() ?? { for: 'slot', since };

  function postponed(): Waiting | null {
    return retryAt === null ? null : { for: rateLimited ? 'provider' : 'retry', since, until: retryAt };
  }
}

/** The calls that wait for a client come before those that wait for a person. */
function waitingOutside({ rounds, work: { waitsSince: since } }: ListedOrWhole): Waiting | null {
  const calls = rounds.at(-1)?.calls.filter(isWaiting) ?? [];
  const kinds = [
    { for: 'client', calls: calls.filter(({ waitsFor }) => waitsFor === 'output') },
    { for: 'approval', calls: calls.filter(({ waitsFor }) => waitsFor === 'approval') },
  ] as const;
  const first = kinds.find((kind) => kind.calls.length > 0);
  if (!first) return null;
  const [until] = first.calls.flatMap(({ expiresAt }) => expiresAt ?? []).sort();
  return { for: first.for, since, ...(until && { until }) };
}
