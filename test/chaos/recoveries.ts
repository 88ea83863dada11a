import { percentile } from '../../bench/percentile.ts';
import type { FaultRecord, History } from './history.ts';
import type { TurnPlan } from './load/turn-plan.ts';

/** How long after the end of a fault a turn that it stopped had its next checkpoint. */
export type Recovery = {
  fault: FaultRecord;
  turnId: string;
  /** Milliseconds, without those of another fault that stops all work. */
  ms: number;
  /** Whether there was no other fault between this one and that checkpoint. */
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

/** Every turn that a fault stopped, with its recovery. */
export function recoveriesOf(history: RecoveryHistory): Recovery[] {
  const lives = livesOf(history);
  const stopping = [...history.faults.filter(({ scope }) => scope !== 'none'), ...deathsOf(history)];
  return stopping.flatMap((fault) =>
    lives.filter((life) => isStopped(life, fault)).map((life) => recovery(life, fault, stopping)),
  );
}

/** Each death of a worker by a poison turn is a fault for the other turns of that worker. */
function deathsOf({ faults, ownEnds }: RecoveryHistory): FaultRecord[] {
  const poison = faults.find(({ kind }) => kind === 'poison-turn');
  if (!poison) return [];
  return ownEnds.map(({ part, at }) => ({ ...poison, from: at, endedAt: at, scope: part }));
}

/** For each fault its first recovery, which is when the fault was overcome. */
export function firstRecoveries(recoveries: Recovery[]): Recovery[] {
  const byFault = Map.groupBy(recoveries, ({ fault }) => fault.number);
  return [...byFault.values()].map((all) => all.reduce((first, other) => (other.ms < first.ms ? other : first)));
}

/** How many turns were in progress at some time during a fault. */
export function turnsDuring({ from, endedAt }: FaultRecord, turns: History['rows']['turns']): number {
  return turns.filter(({ createdAt, completedAt }) => createdAt < endedAt && (completedAt ?? Infinity) > from).length;
}

/** How much longer than its script a turn took that met no fault, in the middle: how slow the machine is. */
export function usualDelayMs(history: Pick<History, 'plans' | 'rows' | 'faults'>): number {
  const unharmed = delaysOfTurns(history).flatMap(({ isDisturbed, ms }) => (isDisturbed ? [] : [ms]));
  return unharmed.length > 0 ? percentile(unharmed, 0.5) : 0;
}

/** How much longer than its script each plain turn took, and whether a fault met it. */
export function delaysOfTurns({ plans, rows, faults }: Pick<History, 'plans' | 'rows' | 'faults'>) {
  const planOf = new Map(plans.map((plan) => [plan.number, plan]));
  return rows.turns.flatMap((row) => {
    const plan = planOf.get(row.plan);
    if (!plan || !isPlain(plan) || row.completedAt === null) return [];
    const isDisturbed = faults.some((fault) => turnsDuring(fault, [row]) > 0);
    return [{ isDisturbed, ms: row.completedAt - row.createdAt - plan.scriptedMs }];
  });
}

/**
 * Whether only faults can stop a turn: it has no trouble of its own, and waits neither for capacity nor for its
 * client nor another turn.
 */
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

/** In progress at the end of the fault, and, where the fault stopped one worker, last begun by that worker. */
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

/** Milliseconds of a span in which there was at least one of the faults. */
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
