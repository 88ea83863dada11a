import type { History } from '../history.ts';
import { FLOOD } from '../projects.ts';
import { usualDelayMs } from '../recoveries.ts';

/** Far more than a start takes on an idle machine; the flood lasts longer. */
const LIMIT_MS = 5_000;
/** On a busy machine the limit grows with the usual delay of an unharmed turn. */
const USUAL_DELAYS = 5;

/** What a turn may take to be found again after another fault. */
const RECOVERY_MS = 15_000;

/** Turns of these shapes wait for nothing but a place; the ends of others may come before they start. */
const PLAIN = new Set(['plain', 'ask', 'limited']);

/** Turns that were posted beside a flood of another project and started late, although no other fault was under way. */
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
    return [`${id} of plan ${plan} started ${Math.round(waitedMs)} ms after its POST, beside a flood`];
  });
}

/** More turns at work than the project that floods may have. */
export function overfullProjects({ latest }: Pick<History, 'latest'>): string[] {
  const { mostFlooding } = latest;
  const most = FLOOD.max_active_turns;
  return mostFlooding > most ? [`${mostFlooding} turns of ${FLOOD.name} were at work, more than ${most}`] : [];
}
