import type { ModelCall } from '../../harness/servers/model-recorder.ts';
import type { Family, History, MadeTurn } from '../history.ts';
import { repeatedBookings } from './tool-calls.ts';

type Forks = Pick<History, 'forks'>;

/** Forks and reruns, and turns behind them, that were sent another history than what they stand on was. */
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

/** Calls that may be made once and were made twice in a family, and calls of reruns, all of which were recorded. */
export function repeatedByReruns({ forks: { families, toolCalls } }: Forks): string[] {
  const reruns = families.flatMap(({ forks }) => forks.filter(({ kind }) => kind === 'rerun').map(({ id }) => id));
  const called = toolCalls.filter(({ key }) => reruns.some((id) => key.startsWith(id)));
  return [...repeatedBookings({ toolCalls }), ...called.map(({ key, mark }) => `${key} made ${mark} again`)];
}

/** Forks, reruns and turns behind them that have not been completed. */
export function endlessForks({ forks: { families } }: Forks): string[] {
  return families.flatMap(({ forks }) =>
    forks.flatMap(({ id, status, next }) => [
      ...(status === 'completed' ? [] : [`${id} is ${status}`]),
      ...(next?.status === 'completed'
        ? []
        : [`${next?.id ?? `what follows ${id}`} is ${next?.status ?? 'not there'}`]),
    ]),
  );
}

/** Reads that told of a turn that had been deleted, and rows that are kept for nobody. */
export function toldOfDeleted({ forks: { families, rows } }: Forks): string[] {
  const there = new Set(rows);
  return families.flatMap((family) => [
    ...family.reads.flatMap(({ path, status, text }) =>
      isSilent(family, { path, status, text }) ? [] : [`${path} answered ${status} and ${text}`],
    ),
    ...(family.isRemoved && there.has(family.origin) ? [`${family.origin} was not erased with its forks`] : []),
  ]);
}

/** What the fork stands on: the request of the round behind it, or, behind the last one, of that; a rerun, of the first one. */
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
