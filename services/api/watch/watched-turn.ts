import type { Turn } from '#core/turn/turn.ts';
import { makeRecentFrames, type RecentFrames } from './recent-frames.ts';
import type { Stage } from './stage.ts';
import { makeTurnOnAir, type TurnOnAir } from './turn-on-air.ts';

/** A stream of a turn's events: `advance` tells what there is to tell, as far as there is room. */
export type Stream = { advance(): void; beat(): void; end(): void };

/** A poll that waits: hears the turn whenever it was read whole; `forRest` if it only waits for the turn to come to rest. */
export type Waiter = { forRest: boolean; hear(turn: Turn): void; end(): void };

/** What this process knows of a turn that somebody watches: read once and heard once for all of them. */
export type WatchedTurn = {
  id: string;
  streams: Set<Stream>;
  waiters: Set<Waiter>;
  /** The turn as it was last read. */
  known: Turn | undefined;
  /** How far the turn had come by the last reading; undefined before the first. */
  stage: Stage | undefined;
  /** Whether it has surely changed since, or is wanted whole: then the next reading need not look first. */
  isOutdated: boolean;
  /** Whether live events may have been missed. */
  isUnsure: boolean;
  recent: RecentFrames;
  onAir: TurnOnAir;
};

/** A turn that nobody has read yet. */
export function newWatchedTurn(id: string): WatchedTurn {
  return {
    ...{ id, streams: new Set(), waiters: new Set() },
    ...{ known: undefined, stage: undefined, isOutdated: true, isUnsure: true },
    ...{ recent: makeRecentFrames(), onAir: makeTurnOnAir() },
  };
}
