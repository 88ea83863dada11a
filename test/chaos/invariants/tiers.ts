import type { ModelCall } from '../../harness/servers/model-recorder.ts';
import type { History } from '../history.ts';

/** The possible difference between the driver's clock and the database's clock, since one counts whole milliseconds. */
const CLOCK_MS = 1;

/**
 * Returns rounds that changed their tier twice, asked on `default` before the change, or on `flex` after the change.
 */
export function strayTiers({ rows, modelCalls }: Pick<History, 'rows' | 'modelCalls'>): string[] {
  const changes = rows.events.filter(({ type }) => type === 'tier.changed');
  const changesOf = Map.groupBy(changes, roundOf);
  const callsOf = Map.groupBy(modelCalls, roundOf);
  const twice = [...changesOf].filter(([, all]) => all.length > 1);
  const early = [...callsOf].filter(([round, calls]) => isEarly(calls, changesOf.get(round)?.[0]?.at));
  const late = [...callsOf].filter(([, calls]) => isLate(calls));
  return [
    ...twice.map(([round, all]) => `round ${round} changed its tier ${all.length} times`),
    ...early.map(([round]) => `round ${round} was asked on default before its change to default`),
    ...late.map(([round]) => `round ${round} was asked on flex after its change to default`),
  ];
}

function isEarly(calls: ModelCall[], changedAt = Number.POSITIVE_INFINITY): boolean {
  return calls.some(({ tier, at }) => tier === 'default' && at + CLOCK_MS < changedAt);
}

/**
 * Returns whether a request is late. A change raises the generation: a run that asks on `flex` loaded the turn
 * before.
 */
function isLate(calls: ModelCall[]): boolean {
  const generations = calls.flatMap(({ tier, generation }) => (tier === 'default' ? [generation] : []));
  return calls.some(({ tier, generation }) => tier === 'flex' && generation >= Math.min(...generations));
}

function roundOf({ turnId, round }: { turnId: string; round: number | null }): string {
  return `${round} of ${turnId}`;
}
