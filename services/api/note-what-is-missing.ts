import type { TurnResource } from '#core/turn/present-turn.ts';
import type { Availability } from '../availability.ts';

/**
 * Adds to a turn that waits for a worker why none takes it, in the words of `/readyz`: the queue is away, or no worker runs.
 * A fact of the service and not of the turn, as this process saw it last.
 */
export function noteWhatIsMissing<Turn extends Pick<TurnResource, 'waiting'>>(
  turn: Turn,
  availability: Pick<Availability, 'last'>,
): Turn {
  if (turn.waiting?.for !== 'slot') return turn;
  const { away } = availability.last();
  const note = away.get('queue') ?? away.get('worker');
  return note === undefined ? turn : { ...turn, waiting: { ...turn.waiting, note } };
}
