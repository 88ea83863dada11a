import type { History } from '../history.ts';

/** The possible difference between the driver's clock and the database's clock, and the time of a commit. */
const CLOCK_MS = 50;

/**
 * Returns requests for a round in the background after the id of its response was committed and before that response
 * was dropped.
 */
export function repeatedRequests({ background, modelCalls }: Pick<History, 'background' | 'modelCalls'>): string[] {
  const committed = Map.groupBy(background.committed, roundOf);
  return modelCalls.flatMap((call) => {
    const known = committed.get(roundOf(call)) ?? [];
    const awaited = known.find(
      ({ committedAt, droppedAt }) =>
        committedAt !== null &&
        committedAt + CLOCK_MS < call.at &&
        (droppedAt ?? Number.POSITIVE_INFINITY) > call.at + CLOCK_MS,
    );
    const afterMs = Math.round(call.at - (awaited?.committedAt ?? 0));
    const attempt = `${call.model}, generation ${call.generation}`;
    return awaited ? [`round ${roundOf(call)} was asked again (${attempt}) ${afterMs} ms after ${awaited.id}`] : [];
  });
}

/** Returns committed responses that the model still keeps. */
export function keptResponses({ background }: Pick<History, 'background'>): string[] {
  const kept = new Set(background.keptIds);
  return background.committed.filter(({ id }) => kept.has(id)).map(({ id, turnId }) => `${id} of ${turnId} is kept`);
}

function roundOf({ turnId, round }: { turnId: string; round: number }): string {
  return `${round} of ${turnId}`;
}
