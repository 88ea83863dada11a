import type { Db } from '#core/checkpoint/tables.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Log } from '../../process/log.ts';
import type { ReadAnywhere } from '../read-anywhere.ts';
import { whenToSend } from './progress.ts';
import {
  newWatchedTurn,
  readChanges,
  readWatched,
  type Stream,
  type Waiter,
  type WatchedTurn,
} from './watched-turn.ts';

/** The parts a watch needs. Every `heartbeatMs` a turn is read without a hint, since hints may get lost. */
export type WatchContext = {
  db: Db;
  readAnywhere: ReadAnywhere;
  pubsub: Pubsub;
  log: Log;
  heartbeatMs: number;
  pendingReads: PendingReads;
};

/** One turn being watched. A watcher that is added has it read once more, and leaves by the returned function. */
export type TurnWatch = {
  watched: WatchedTurn;
  addStream(stream: Stream): () => void;
  addWaiter(waiter: Waiter): () => void;
  /** Asks the workers to publish what happens to the turn, if a watcher wants more than its settled state. */
  publishWatched(): void;
  /** For a stream that has read by itself more than the shared progress covers. */
  readAgain(): void;
  /** For a stream that failed to read by itself: everything is read again a moment later. */
  readLater(error: unknown): void;
};

/** Watches a turn until its last watcher has left; `closed` is called then. */
export function watchTurn(id: string, context: WatchContext, closed: () => void): TurnWatch {
  const watched = newWatchedTurn(id);
  const catchUp = catchUpOf(watched, context.pubsub);
  const { read, readLater, stop } = readRepeatedly(watched, catchUp, context);
  const unsubscribe = context.pubsub.subscribeToTurn(id, (message) => {
    if (message.kind === 'event') return receiveEvent(watched, message.event, { read, catchUp });
    if (message.goesOn && waitsUntilSettled(watched)) return;
    watched.isOutdated = true;
    read();
  });
  const requestCatchUp = () => context.pubsub.publishToWorkers({ kind: 'catch-up', turnId: id });

  function add<Watcher>(watchers: Set<Watcher>, watcher: Watcher): () => void {
    watchers.add(watcher);
    read();
    return () => {
      if (watchers.delete(watcher)) leave();
    };
  }
  function leave(): void {
    if (watched.streams.size > 0) return;
    watched.liveBuffer.clear();
    catchUp.close();
    if (watched.waiters.size > 0) return;
    unsubscribe();
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
    publishWatched: () => publishWatched(watched, context.pubsub),
    addStream: (stream) => {
      if (waitsUntilSettled(watched)) requestCatchUp();
      watched.isUnsure = true;
      return add(watched.streams, stream);
    },
    addWaiter: (waiter) => {
      if (!waiter.untilSettled && waitsUntilSettled(watched)) requestCatchUp();
      watched.isOutdated = true;
      return add(watched.waiters, waiter);
    },
  };
}

/** Whether all watchers only wait for the turn to settle; nothing on the way is read for them. */
function waitsUntilSettled({ streams, waiters }: WatchedTurn): boolean {
  return streams.size === 0 && [...waiters].every(({ untilSettled }) => untilSettled);
}

function publishWatched(watched: WatchedTurn, pubsub: Pubsub): void {
  if (!waitsUntilSettled(watched)) pubsub.publishToWorkers({ kind: 'watched', turnId: watched.id });
}

/** Keeps live events while there are streams; an event that is ahead of the last reading has the turn read. */
function receiveEvent(watched: WatchedTurn, event: LiveEvent, on: { read(): void; catchUp: CatchUp }): void {
  const { progress, streams, liveBuffer } = watched;
  if (streams.size === 0) return;
  liveBuffer.add(event, progress);
  const when = progress && whenToSend(event, progress);
  if (when === 'later') on.read();
  if (when !== 'now') return;
  for (const stream of streams) stream.advance();
  on.catchUp.check();
}

const READ_LATER_MS = 1_000;

/** Reads on request, at each heartbeat, and a moment after a failed reading. */
function readRepeatedly(watched: WatchedTurn, catchUp: CatchUp, context: WatchContext) {
  const { pubsub, log, heartbeatMs, pendingReads } = context;
  let isStopped = false;
  // The first heartbeat comes at a random time, so that turns watched since the same moment are not all read at once.
  let timer = setTimeout(beat, heartbeatMs * (0.5 + Math.random() / 2));
  const read = coalesce(async () => {
    if (isStopped) return;
    const reading = readWatched(watched, context, (db) => readChanges(watched, db));
    await pendingReads.add(reading).then(settle, readLater);
  });

  function beat(): void {
    timer = setTimeout(beat, heartbeatMs);
    watched.isUnsure = true;
    for (const stream of watched.streams) stream.beat();
    publishWatched(watched, pubsub);
    read();
  }
  function settle(): void {
    if (!watched.isUnsure) return;
    watched.isUnsure = false;
    catchUp.check();
  }
  function readLater(error: unknown): void {
    if (isStopped) return;
    log.warn({ turn_id: watched.id, err: error }, 'a watched turn could not be read; it is read again soon');
    watched.isOutdated = true;
    clearTimeout(timer);
    timer = setTimeout(beat, Math.min(READ_LATER_MS, heartbeatMs));
  }
  function stop(): void {
    isStopped = true;
    clearTimeout(timer);
  }
  return { read, readLater, stop };
}

/** Makes work run when called, never twice at a time; calls while it runs make it run once more after. */
function coalesce(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isRequested = false;

  async function run(): Promise<void> {
    do {
      isRequested = false;
      await work();
    } while (isRequested);
    isRunning = false;
  }

  return () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    void run();
  };
}

/** Asks the workers for the missed part of a running round. */
type CatchUp = { check(): void; close(): void };

function catchUpOf(watched: WatchedTurn, pubsub: Pubsub): CatchUp {
  const { id, streams, liveBuffer } = watched;
  return makeCatchUp({
    isNeeded: () => streams.size > 0 && watched.progress !== undefined && liveBuffer.isBehind(watched.progress),
    request: () => pubsub.publishToWorkers({ kind: 'catch-up', turnId: id }),
  });
}

const AGAIN_MS = 300;

/** Requests where needed, and once more shortly after if it still is: both the request and its answer may get lost. */
function makeCatchUp({ isNeeded, request }: { isNeeded(): boolean; request(): void }): CatchUp {
  let timer: NodeJS.Timeout | undefined;

  function requestAgain(): void {
    timer = undefined;
    if (isNeeded()) request();
  }

  return {
    check: () => {
      if (timer || !isNeeded()) return;
      request();
      timer = setTimeout(requestAgain, AGAIN_MS);
    },
    close: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Reads in flight, which have to end before the database is closed. */
type PendingReads = { add<T>(read: Promise<T>): Promise<T>; settled(): Promise<void> };

/** Keeps track of reads until they have ended, well or not. */
export function makePendingReads(): PendingReads {
  const all = new Set<Promise<unknown>>();

  return {
    add: (read) => {
      const tracked = read.catch(() => {}).finally(() => all.delete(tracked));
      all.add(tracked);
      return read;
    },
    settled: async () => {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
