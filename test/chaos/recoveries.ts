import { percentile } from '../../bench/percentile.ts';
import type { FaultRecord, History } from './history.ts';
import type { TurnPlan } from './load/turn-plan.ts';

/** The time from the end of a fault until the next checkpoint of a turn that it stopped. */
export type Recovery = {
  fault: FaultRecord;
  turnId: string;
  /** The milliseconds, without the time of another fault that stops all work. */
  ms: number;
  /** Whether no other fault occurred before that checkpoint. */
  isClean: boolean;
};

type RecoveryHistory = Pick<History, 'faults' | 'rows' | 'starts' | 'plans' | 'ownEnds'>;
type Life = {
  turnId: string;
  createdAt: number;
  completedAt: number;
  checkpoints: number[];
  starts: History['starts'];
};

const CHECKPOINTS = /^(round|tool_call)\.completed$|^turn\.(completed|incomplete|failed|cancelled)$/;

/** Returns every turn that a fault stopped, with its recovery. */
export function recoveriesOf(history: RecoveryHistory): Recovery[] {
  const lives = livesOf(history);
  const stopping = [...history.faults.filter(({ scope }) => scope !== 'none'), ...deathsOf(history)];
  return stopping.flatMap((fault) =>
    lives.filter((life) => isStopped(life, fault)).map((life) => recovery(life, fault, stopping)),
  );
}

/** Returns the deaths of workers by a poison turn. Each is a fault for the other turns of that worker. */
function deathsOf({ faults, ownEnds }: RecoveryHistory): FaultRecord[] {
  const poison = faults.find(({ kind }) => kind === 'poison-turn');
  if (!poison) return [];
  return ownEnds.map(({ part, at }) => ({ ...poison, from: at, endedAt: at, scope: part }));
}

/** Returns the first recovery of each fault, which ends the fault's effect. */
export function firstRecoveries(recoveries: Recovery[]): Recovery[] {
  const byFault = Map.groupBy(recoveries, ({ fault }) => fault.number);
  return [...byFault.values()].map((all) => all.reduce((first, other) => (other.ms < first.ms ? other : first)));
}

/** Counts the turns that were in progress during a fault. */
export function turnsDuring({ from, endedAt }: FaultRecord, turns: History['rows']['turns']): number {
  return turns.filter(({ createdAt, completedAt }) => createdAt < endedAt && (completedAt ?? Infinity) > from).length;
}

/** Returns the median delay of unharmed turns after their scripts: it shows how slow the machine is. */
export function usualDelayMs(history: Pick<History, 'plans' | 'rows' | 'faults'>): number {
  const unharmed = delaysOfTurns(history).flatMap(({ isDisturbed, ms }) => (isDisturbed ? [] : [ms]));
  return unharmed.length > 0 ? percentile(unharmed, 0.5) : 0;
}

/** Returns how much longer than its script each plain turn took, and whether a fault met it. */
export function delaysOfTurns({ plans, rows, faults }: Pick<History, 'plans' | 'rows' | 'faults'>) {
  const planOf = new Map(plans.map((plan) => [plan.number, plan]));
  return rows.turns.flatMap((row) => {
    const plan = planOf.get(row.plan);
    if (!plan || !isPlain(plan) || row.completedAt === null) return [];
    const isDisturbed = faults.some((fault) => turnsDuring(fault, [row]) > 0);
    return [{ isDisturbed, ms: row.completedAt - row.createdAt - plan.scriptedMs }];
  });
}

/** Returns whether only faults can stop a turn: it has no trouble, and waits for no capacity, client or other turn. */
function isPlain({ trouble, shape, request }: TurnPlan): boolean {
  return !trouble && !request.service_tier && shape !== 'ask' && shape !== 'second';
}

function livesOf({ rows, starts, plans }: RecoveryHistory): Life[] {
  const plain = new Set(plans.filter(isPlain).map(({ number }) => number));
  const eventsOf = Map.groupBy(rows.events, ({ turnId }) => turnId);
  const startsOf = Map.groupBy(starts, ({ turnId }) => turnId);
  return rows.turns
    .filter(({ plan }) => plain.has(plan))
    .map(({ id, createdAt, completedAt }) => ({
      turnId: id,
      createdAt,
      completedAt: completedAt ?? Number.POSITIVE_INFINITY,
      checkpoints: (eventsOf.get(id) ?? []).filter(({ type }) => CHECKPOINTS.test(type)).map(({ at }) => at),
      starts: startsOf.get(id) ?? [],
    }));
}

/**
 * Returns whether a fault stopped a turn. The turn was in progress at the end of the fault. If the fault stopped one
 * worker, that worker had begun it last.
 */
function isStopped(life: Life, { from, endedAt, scope }: FaultRecord): boolean {
  if (life.createdAt > endedAt || life.completedAt <= endedAt) return false;
  if (scope === 'all') return true;
  const lastStart = life.starts.findLast(({ at }) => at <= from);
  if (lastStart?.worker !== scope) return false;
  return !life.checkpoints.some((at) => at > lastStart.at && at < from);
}

function recovery(life: Life, fault: FaultRecord, all: FaultRecord[]): Recovery {
  const next = life.checkpoints.find((at) => at > fault.endedAt) ?? life.completedAt;
  const others = all.filter((other) => other !== fault && other.from < next && other.endedAt > fault.from);
  const otherwiseStopped = overlap(
    others.filter(({ scope }) => scope === 'all'),
    { from: fault.endedAt, until: next },
  );
  return { fault, turnId: life.turnId, ms: next - fault.endedAt - otherwiseStopped, isClean: others.length === 0 };
}

/** Returns the milliseconds of a span with at least one of the faults. */
function overlap(faults: FaultRecord[], { from, until }: { from: number; until: number }): number {
  let seenUntil = from;
  let ms = 0;
  for (const fault of faults.toSorted((one, other) => one.from - other.from)) {
    const begin = Math.max(seenUntil, fault.from);
    const end = Math.min(until, fault.endedAt);
    ms += Math.max(0, end - begin);
    seenUntil = Math.max(seenUntil, end);
  }
  return ms;
}
