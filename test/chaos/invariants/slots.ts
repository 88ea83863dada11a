import type { History } from '../history.ts';
import { FLOOD } from '../projects.ts';
import { usualDelayMs } from '../recoveries.ts';

/** The limit is far more than a start takes on an idle machine. The flood lasts longer. */
const LIMIT_MS = 5_000;
/** On a busy machine the limit grows with the usual delay of an unharmed turn. */
const USUAL_DELAYS = 5;

/** The time until a turn is found again after another fault. */
const RECOVERY_MS = 15_000;

/** The shapes of turns that wait only for a slot. Turns of other shapes may start after the ends of others. */
const PLAIN = new Set(['plain', 'ask', 'limited']);

/** Returns turns that were posted beside a flood of another project and started late, without another fault. */
export function lateStarts(history: Pick<History, 'faults' | 'plans' | 'rows'>): string[] {
  const { faults, plans, rows } = history;
  const limitMs = LIMIT_MS + USUAL_DELAYS * usualDelayMs(history);
  const floods = faults.filter(({ kind }) => kind === 'flood');
  const others = faults.filter(({ kind }) => kind !== 'flood');
  const plain = new Set(plans.filter(({ shape }) => PLAIN.has(shape)).map(({ number }) => number));
  return rows.turns.flatMap(({ id, plan, createdAt, startedAt, completedAt }) => {
    const waitedMs = (startedAt ?? completedAt ?? Infinity) - createdAt;
    const isBeside = floods.some(({ from, endedAt }) => from <= createdAt && createdAt <= endedAt);
    const isExcused = others.some(
      ({ from, endedAt }) => from <= createdAt + waitedMs && createdAt <= endedAt + RECOVERY_MS,
    );
    if (!plain.has(plan) || !isBeside || isExcused || waitedMs <= limitMs) return [];
    return [`${id} of plan ${plan} started ${Math.round(waitedMs)} ms after its POST, during a flood`];
  });
}

/** Returns a complaint if the flooding project had more running turns than it may have. */
export function overfullProjects({ latest }: Pick<History, 'latest'>): string[] {
  const { mostFlooding } = latest;
  const most = FLOOD.max_active_turns;
  return mostFlooding > most ? [`${mostFlooding} turns of ${FLOOD.name} were active, more than ${most}`] : [];
}
