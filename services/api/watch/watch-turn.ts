import type { Db } from '#core/checkpoint/database.ts';
import type { Live } from '#core/live/live.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Log } from '../../log.ts';
import { type CatchUp, makeCatchUp } from './catch-up.ts';
import { coalesce } from './coalesce.ts';
import { readNews } from './read-news.ts';
import { whenToShow } from './stage.ts';
import type { UnderWay } from './under-way.ts';
import { newWatchedTurn, type Stream, type Waiter, type WatchedTurn } from './watched-turn.ts';

/** What watching stands on; every `heartbeatMs` a turn is read although nobody said a word, since words get lost. */
export type WatchContext = { db: Db; live: Live; log: Log; heartbeatMs: number; underWay: UnderWay };

/** One turn being watched. Whoever is added has it read once more, and leaves by the returned function. */
export type Watching = {
  watched: WatchedTurn;
  addStream(stream: Stream): () => void;
  addWaiter(waiter: Waiter): () => void;
  /** Says to the workers that somebody hears what they tell of the turn, where somebody does. */
  sayWatched(): void;
  /** For a stream that has read for itself what all do not know yet. */
  readAgain(): void;
  /** For a stream that failed to read for itself: everything is tried again in a moment. */
  readLater(error: unknown): void;
};

const READ_LATER_MS = 1_000;

/** Watches a turn until the last one has left; `closed` is called then. */
export function watchTurn(id: string, context: WatchContext, closed: () => void): Watching {
  const watched = newWatchedTurn(id);
  const catchUp = catchUpOf(watched, context.live);
  const { read, readLater, stop } = readAgainAndAgain(watched, catchUp, context);
  const unwatch = context.live.watch(id, (message) => {
    if (message.kind === 'event') return hearEvent(watched, message.event, { read, catchUp });
    if (message.goesOn && isForRest(watched)) return;
    watched.isOutdated = true;
    read();
  });

  function add<Watcher>(watchers: Set<Watcher>, watcher: Watcher): () => void {
    watchers.add(watcher);
    read();
    return () => {
      if (watchers.delete(watcher)) leave();
    };
  }
  function leave(): void {
    if (watched.streams.size > 0) return;
    watched.onAir.forget();
    catchUp.close();
    if (watched.waiters.size > 0) return;
    unwatch();
    stop();
    closed();
  }
  return {
    watched,
    readAgain: () => {
      watched.isOutdated = true;
      read();
    },
    readLater,
    sayWatched: () => sayWatched(watched, context.live),
    addStream: (stream) => {
      if (isForRest(watched)) context.live.tellWorkers({ kind: 'catch-up', turnId: id });
      watched.isUnsure = true;
      return add(watched.streams, stream);
    },
    addWaiter: (waiter) => {
      if (!waiter.forRest && isForRest(watched)) context.live.tellWorkers({ kind: 'catch-up', turnId: id });
      watched.isOutdated = true;
      return add(watched.waiters, waiter);
    },
  };
}

/** Whether all who watch only wait for the turn to come to rest; what happens on the way is not read for them. */
function isForRest({ streams, waiters }: WatchedTurn): boolean {
  return streams.size === 0 && [...waiters].every(({ forRest }) => forRest);
}

function sayWatched(watched: WatchedTurn, live: Live): void {
  if (!isForRest(watched)) live.tellWorkers({ kind: 'watched', turnId: watched.id });
}

function catchUpOf(watched: WatchedTurn, live: Live): CatchUp {
  const { id, streams, onAir } = watched;
  return makeCatchUp({
    isWanted: () => streams.size > 0 && watched.stage !== undefined && onAir.lacks(watched.stage),
    ask: () => live.tellWorkers({ kind: 'catch-up', turnId: id }),
  });
}

/** Keeps live events for the streams there are; one that is ahead of what was read has it read. */
function hearEvent(watched: WatchedTurn, event: LiveEvent, on: { read(): void; catchUp: CatchUp }): void {
  const { stage, streams, onAir } = watched;
  if (streams.size === 0) return;
  onAir.hear(event, stage);
  const when = stage && whenToShow(event, stage);
  if (when === 'later') on.read();
  if (when !== 'now') return;
  for (const stream of streams) stream.advance();
  on.catchUp.check();
}

/** Reads when told to, at each heartbeat, and a moment after a reading has failed. */
function readAgainAndAgain(watched: WatchedTurn, catchUp: CatchUp, context: WatchContext) {
  const { db, live, log, heartbeatMs, underWay } = context;
  let isStopped = false;
  // The first heartbeat comes at any time, so that turns watched since the same moment are not all read at once.
  let alarm = setTimeout(beat, heartbeatMs * (0.5 + Math.random() / 2));
  const read = coalesce(async () => {
    if (!isStopped) await underWay.add(readNews(watched, db)).then(settle, readLater);
  });

  function beat(): void {
    alarm = setTimeout(beat, heartbeatMs);
    watched.isUnsure = true;
    for (const stream of watched.streams) stream.beat();
    sayWatched(watched, live);
    read();
  }
  function settle(): void {
    if (!watched.isUnsure) return;
    watched.isUnsure = false;
    catchUp.check();
  }
  function readLater(error: unknown): void {
    if (isStopped) return;
    log.warn({ turn_id: watched.id, err: error }, 'a watched turn could not be read; it will be in a moment');
    watched.isOutdated = true;
    clearTimeout(alarm);
    alarm = setTimeout(beat, Math.min(READ_LATER_MS, heartbeatMs));
  }
  function stop(): void {
    isStopped = true;
    clearTimeout(alarm);
  }
  return { read, readLater, stop };
}
