import type { Db } from '#core/checkpoint/database.ts';
import { listEvents } from '#core/checkpoint/list-events.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import type { Live, ToWatchers } from '#core/live/live.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Log } from '../../log.ts';
import { makeCatchUp } from './catch-up.ts';
import { coalesce } from './coalesce.ts';
import { durableFrames } from './frame.ts';
import { readEvents } from './read-events.ts';
import { makeRecentFrames, type RecentFrames } from './recent-frames.ts';
import { type Stage, stageOf, whenToShow } from './stage.ts';
import { makeTurnOnAir, type TurnOnAir } from './turn-on-air.ts';

/** What watching stands on; `heartbeatMs` is how often a turn is read again although nobody said a word. */
export type WatchContext = { db: Db; live: Live; log: Log; heartbeatMs: number };

/** Somebody who watches: told when there is news, at each heartbeat, and when watching is over. */
export type Watcher = {
  /** There may be something new; `turn` is given where it was loaded for this. */
  hear(turn?: Turn): void;
  beat(): void;
  end(): void;
};

/** A turn that somebody watches in this process: read once and heard once, for all of them. */
export type WatchedTurn = {
  id: string;
  /** How far it has come; undefined until it was first read. */
  stage(): Stage | undefined;
  recent: RecentFrames;
  onAir: TurnOnAir;
  /** Adds a watcher and has the turn read for it, whole if the turn itself is wanted. */
  join(watcher: Watcher, wants: 'events' | 'turn'): void;
  leave(watcher: Watcher): void;
  /** Reads it again in a moment: a watcher's own reading has failed. */
  readLater(error: unknown): void;
  end(): void;
};
