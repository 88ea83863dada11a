import type { ModelCall } from '../../harness/servers/model-recorder.ts';
import type { Family, History, MadeTurn } from '../history.ts';
import { repeatedBookings } from './tool-calls.ts';

type Forks = Pick<History, 'forks'>;

/** Returns forks, reruns and turns after them that were sent a history other than that of their origin. */
export function changedHistories({ forks: { families, modelCalls } }: Forks): string[] {
  const sentBy = Map.groupBy(modelCalls, ({ turnId }) => turnId);
  const first = (id: string) => sentBy.get(id)?.find(({ round }) => round === 1);
  return families.flatMap(({ origin, forks }) =>
    forks.flatMap((fork) => {
      const base = baseOf(fork, sentBy.get(origin) ?? []);
      const last = sentBy.get(fork.id)?.toSorted((one, other) => other.round - one.round)[0];
      return [
        ...(beginsWith(first(fork.id), base) ? [] : [`${fork.id} was sent another history than ${origin}`]),
        ...(!fork.next || beginsWith(first(fork.next.id), last)
          ? []
          : [`${fork.next.id} was sent another history than ${fork.id}`]),
      ];
    }),
  );
}

/**
 * Returns `at_most_once` calls that were made twice in a family. Also returns calls of reruns, since all were
 * recorded.
 */
export function repeatedByReruns({ forks: { families, toolCalls } }: Forks): string[] {
  const reruns = families.flatMap(({ forks }) => forks.filter(({ kind }) => kind === 'rerun').map(({ id }) => id));
  const called = toolCalls.filter(({ key }) => reruns.some((id) => key.startsWith(id)));
  return [...repeatedBookings({ toolCalls }), ...called.map(({ key, mark }) => `${key} made ${mark} again`)];
}

/** Returns forks, reruns and turns after them that have not been completed. */
export function endlessForks({ forks: { families } }: Forks): string[] {
  return families.flatMap(({ forks }) =>
    forks.flatMap(({ id, status, next }) => [
      ...(status === 'completed' ? [] : [`${id} is ${status}`]),
      ...(next?.status === 'completed'
        ? []
        : [`${next?.id ?? `the turn after ${id}`} is ${next?.status ?? 'missing'}`]),
    ]),
  );
}

/** Returns reads that showed a deleted turn, and rows that no turn needs. */
export function shownDeletions({ forks: { families, rows } }: Forks): string[] {
  const there = new Set(rows);
  return families.flatMap((family) => [
    ...family.reads.flatMap(({ path, status, text }) =>
      isSilent(family, { path, status, text }) ? [] : [`${path} answered ${status} and ${text}`],
    ),
    ...(family.isRemoved && there.has(family.origin) ? [`${family.origin} was not erased with its forks`] : []),
  ]);
}

/**
 * Returns the request that the fork is based on: the request of the next round or, after the last round, of that
 * round. A rerun is based on the first request.
 */
function baseOf({ kind, afterRound }: MadeTurn, calls: ModelCall[]): ModelCall | undefined {
  if (kind === 'rerun') return calls.find(({ round }) => round === 1);
  if (!afterRound) return undefined;
  return calls.find(({ round }) => round === afterRound + 1) ?? calls.find(({ round }) => round === afterRound);
}

function beginsWith(call: ModelCall | undefined, base: ModelCall | undefined): boolean {
  if (!call || !base) return true;
  return base.messages.every((message, index) => call.messages[index] === message);
}

function isSilent({ number }: Family, { path, status, text }: Family['reads'][number]): boolean {
  if (path.startsWith('/v1/turns/')) return status === 404;
  return status === 200 && !text.includes(`fork-${number}.origin.`);
}
