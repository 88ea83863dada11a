import type { Db } from '#core/checkpoint/database.ts';
import type { Live } from '#core/live/live.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Log } from '../../log.ts';
import { makeCatchUp } from './catch-up.ts';
import { coalesce } from './coalesce.ts';
import { readNews } from './read-news.ts';
import { whenToShow } from './stage.ts';
import { newWatchedTurn, type Stream, type Waiter, type WatchedTurn } from './watched-turn.ts';

/** What watching stands on; every `heartbeatMs` a turn is read although nobody said a word, since words get lost. */
export type WatchContext = { db: Db; live: Live; log: Log; heartbeatMs: number };

/** The watching of one turn. */
export type Watching = {
  watched: WatchedTurn;
  addStream(stream: Stream): void;
  addWaiter(waiter: Waiter): void;
  remove(watcher: Stream | Waiter): void;
  /** To be told when a stream failed to read for itself: everybody tries again in a moment. */
  readLater(error: unknown): void;
};

const READ_LATER_MS = 1_000;

/** Watches a turn until the last watcher is removed; `closed` is called then. */
export function watchTurn(id: string, context: WatchContext, closed: () => void): Watching {
  const watched = newWatchedTurn(id);
  const { streams, waiters } = watched;
  const { read, readLater, close } = startReading(watched, context);

  return {
    watched,
    readLater,
    addStream: (stream) => {
      streams.add(stream);
      watched.isUnsure = true;
      read();
    },
    addWaiter: (waiter) => {
      waiters.add(waiter);
      watched.isOutdated = true;
      read();
    },
    remove: (watcher) => {
      streams.delete(watcher as Stream);
      if (streams.size === 0) watched.onAir.forget();
      if (streams.size + waiters.size > 0) return;
      close();
      closed();
    },
  };
}
