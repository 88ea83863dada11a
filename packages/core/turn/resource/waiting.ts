import { isWaiting } from '../next-step.ts';
import { readStep } from '../step.ts';
import { isTerminal, type ListedTurn } from '../turn.ts';
import { iso } from './iso.ts';

/** Why a turn does not run. The first reason in the order of `for` applies. */
export type Waiting = {
  for: 'start_at' | 'turn' | 'client' | 'approval' | 'batch' | 'retry' | 'provider' | 'project_quota' | 'slot';
  since: string;
  until?: string;
  /** The cause that stops every turn. */
  note?: string;
};

/** The parts of the service that are away for a process: the name of each part, with a sentence about it. */
export type PartsAway = ReadonlyMap<string, string>;

const NOTHING_AWAY: PartsAway = new Map();

type WaitingTurn = Pick<ListedTurn, 'status' | 'startAt' | 'work'> & {
  rounds: Pick<ListedTurn['rounds'][number], 'calls'>[];
};

/**
 * Returns why no step of a turn runs, or null while a step runs and after the end. `away` explains why no worker
 * takes the turn.
 */
export function waitingOf(turn: WaitingTurn, away: PartsAway = NOTHING_AWAY): Waiting | null {
  const { status, work } = turn;
  const since = iso(work.waitingSince);
  if (isTerminal(status)) return null;
  if (work.delayed) return { for: 'start_at', since, ...(turn.startAt !== null && { until: iso(turn.startAt) }) };
  if (!work.atHead) return { for: 'turn', since };
  if (work.leased) return null;
  if (work.retryAt === null && status === 'in_progress' && work.uncontended) return null;

  return { ...(firstWaitingCalls(turn) ?? waitForWork(turn, away)), since };
}

/** Returns the reason for a wait that needs no answer from outside. */
function waitForWork(turn: WaitingTurn, away: PartsAway): Omit<Waiting, 'since'> {
  const { rateLimited, step, retryAt, quotaFull, background } = turn.work;
  if (retryAt && background?.isBatch) return { for: 'batch' };
  const lacked = rateLimited && readStep(step).kind === 'batch' ? lackedTools(turn) : undefined;
  if (retryAt && !lacked) return { for: rateLimited ? 'provider' : 'retry', until: iso(retryAt) };
  if (quotaFull) return { for: 'project_quota' };
  const note = away.get('queue') ?? away.get('worker') ?? lacked;
  return { for: 'slot', ...(note !== undefined && { note }) };
}

/** Returns a note for a batch that a worker passed on because it had not loaded the tools of these calls. */
function lackedTools({ rounds }: WaitingTurn): string {
  const calls = rounds.at(-1)?.calls.filter((call) => call.result === null && !isWaiting(call)) ?? [];
  const names = [...new Set(calls.map(({ name }) => name))].join(', ') || 'the tools of its calls';
  return `The turn waits for a worker that has loaded ${names}. Start workers with the same PAWL_TOOLS and PAWL_MCP.`;
}

/** Returns the first waiting calls. Calls that wait for a client precede calls that wait for a person. */
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
