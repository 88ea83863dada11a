import { isWaiting } from '../next-step.ts';
import { isTerminal, type ListedTurn } from '../turn.ts';
import { iso } from './iso.ts';

/** Why a turn does not run. Of several reasons it says the first in the order of `for`. */
export type Waiting = {
  for: 'start_at' | 'turn' | 'client' | 'approval' | 'retry' | 'provider' | 'project_quota' | 'slot';
  since: string;
  /** When it ends, where that is known. */
  until?: string;
  /** What keeps every turn from running. */
  note?: string;
};

/** The parts of the service that are away as a process saw them last: the name of each, with a sentence about it. */
export type PartsAway = ReadonlyMap<string, string>;

const NOTHING_AWAY: PartsAway = new Map();

type WaitingTurn = Pick<ListedTurn, 'status' | 'startAt' | 'work'> & {
  rounds: Pick<ListedTurn['rounds'][number], 'calls'>[];
};

/**
 * Derives from a turn's columns why no step of it is at work; null while one is, and after the end. A step that was just
 * made due may be at work without a lease. `away` explains why no worker takes a turn that waits for one.
 */
export function waitingOf(turn: WaitingTurn, away: PartsAway = NOTHING_AWAY): Waiting | null {
  const { status, work } = turn;
  const since = iso(work.waitingSince);
  if (isTerminal(status)) return null;
  if (work.delayed) return { for: 'start_at', since, ...(turn.startAt !== null && { until: iso(turn.startAt) }) };
  if (!work.atHead) return { for: 'turn', since };
  if (work.leased) return null;
  if (work.retryAt === null && status === 'in_progress' && work.uncontended) return null;

  const call = firstWaitingCalls(turn);
  if (call) return { ...call, since };
  if (work.retryAt) return { for: work.rateLimited ? 'provider' : 'retry', since, until: iso(work.retryAt) };
  if (work.quotaFull) return { for: 'project_quota', since };
  const note = away.get('queue') ?? away.get('worker');
  return { for: 'slot', since, ...(note !== undefined && { note }) };
}

/** The calls that wait for a client come before those that wait for a person. */
function firstWaitingCalls({ rounds }: WaitingTurn): Pick<Waiting, 'for' | 'until'> | undefined {
  const calls = rounds.at(-1)?.calls.filter(isWaiting) ?? [];
  const kinds = [
    { for: 'client', calls: calls.filter(({ waitsFor }) => waitsFor === 'output') },
    { for: 'approval', calls: calls.filter(({ waitsFor }) => waitsFor === 'approval') },
  ] as const;
  const first = kinds.find((kind) => kind.calls.length > 0);
  if (!first) return undefined;
  const [until] = first.calls.flatMap(({ expiresAt }) => expiresAt ?? []).sort();
  return { for: first.for, ...(until && { until: iso(until) }) };
}
