import type { Turn, TurnEvent } from '../../client/connect-pawl.ts';

/** A live event of a call that the provider runs. */
export type HostedEvent = Extract<TurnEvent, { type: `hosted_call.${string}` }>;
export type HostedCall = HostedEvent['hosted_call'];

/** The calls of the provider that were shown. */
export type HostedTrack = {
  /** Returns whether an event is the first of its kind for its call. A stream may repeat events. */
  isNew(event: HostedEvent): boolean;
  /** Returns the calls of a turn without a shown end, since a client may miss live events. */
  missed(turn: Pick<Turn, 'rounds'>): HostedCall[];
};

/** Tracks the calls of a turn that the provider runs. */
export function trackHosted(): HostedTrack {
  const seen = new Set<string>();
  const ended = new Set<string>();
  return {
    isNew: ({ round, attempt, hosted_call: { id, status } }) => {
      const { size } = seen;
      if (status !== 'in_progress') ended.add(keyOf(round, id));
      return seen.add(keyOf(round, attempt, id, status)).size > size;
    },
    missed: ({ rounds }) =>
      rounds.flatMap(({ number, hosted_calls: calls }) => calls.filter(({ id }) => !ended.has(keyOf(number, id)))),
  };
}

function keyOf(...parts: (string | number)[]): string {
  return JSON.stringify(parts);
}
