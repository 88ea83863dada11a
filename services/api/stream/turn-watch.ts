import type { Pubsub, TurnWake } from '#core/pubsub/pubsub.ts';
import type { Log } from '../../process/log.ts';
import { type LiveEvents, receiveLiveEvents } from './watch/live-events.ts';
import { makeReadings, type Reading, type Readings } from './watch/readings.ts';
import {
  newWatchedTurn,
  readChanges,
  type Stream,
  type Waiter,
  type WatchedReads,
  type WatchedTurn,
} from './watched-turn.ts';

/** The parts that a watch needs. A turn is read every `heartbeatMs` even without a hint, because hints may get lost. */
export type WatchContext = WatchedReads & { pubsub: Pubsub; log: Log; heartbeatMs: number };

/** A watch of a turn. A watcher leaves by calling the returned function. */
export type TurnWatch = {
  watched: WatchedTurn;
  /** Adds a stream, and requests a further read of the turn. */
  addStream(stream: Stream): () => void;
  /** Adds a waiter, and requests a further read of the turn, unless the waiter only waits for a later change. */
  addWaiter(waiter: Waiter, isKnownToWait?: boolean): () => void;
  wake(wake: Pick<TurnWake, 'goesOn'>): void;
  /** Messages of the turn may be lost. */
  missed(): void;
  /** Asks the workers to publish the events of the turn, if a watcher needs more than its settled state. */
  publishWatched(): void;
  /** Reads the turn for a stream that has itself read more than the shared progress covers. */
  readAgain(): void;
  /** Reads the whole turn a moment later, for a stream that failed to read. */
  readLater(error: unknown): void;
};

/** The reason for a read of the turn. */
const EVENT_AHEAD: Reading = { isWhole: false, seeksLive: false };
const STREAM_JOINED: Reading = { isWhole: false, seeksLive: true };
const CHANGED: Reading = { isWhole: true, seeksLive: false };
const MESSAGES_LOST: Reading = { isWhole: true, seeksLive: true };

/** Watches a turn until its last watcher has left, and then calls `closed`. */
export function watchTurn(id: string, context: WatchContext, closed: () => void): TurnWatch {
  const { pubsub } = context;
  const watched = newWatchedTurn(id);
  const { streams, waiters } = watched;
  const live = receiveLiveEvents(watched, pubsub, () => readings.request(EVENT_AHEAD));
  const readings = readingsOf(watched, live, context);

  /** Lets workers publish all events of the turn from the first watcher that needs more than the settled state. */
  function announce(add: () => void): void {
    const wasPublished = !waitsUntilSettled(watched);
    add();
    if (!wasPublished && !waitsUntilSettled(watched)) pubsub.publishToWorkers({ kind: 'catch-up', turnId: id });
  }
  function closeUnwatched(): void {
    if (streams.size === 0) live.close();
    if (streams.size > 0 || waiters.size > 0) return;
    readings.stop();
    closed();
  }
  return {
    watched,
    wake: ({ goesOn }) => {
      if (!goesOn || !waitsUntilSettled(watched)) readings.request(CHANGED);
    },
    missed: () => readings.request(MESSAGES_LOST),
    readAgain: () => readings.request(CHANGED),
    readLater: readings.requestLater,
    publishWatched: () => publishWatched(watched, pubsub),
    addStream: (stream) => {
      live.open();
      announce(() => streams.add(stream));
      readings.request(STREAM_JOINED);
      return () => {
        if (streams.delete(stream)) closeUnwatched();
      };
    },
    addWaiter: (waiter, isKnownToWait = false) => {
      announce(() => waiters.add(waiter));
      if (!isKnownToWait) readings.request(CHANGED);
      return () => {
        if (waiters.delete(waiter)) closeUnwatched();
      };
    },
  };
}

/** Returns whether all watchers only wait for the turn to settle. Then no intermediate state is read for them. */
function waitsUntilSettled({ streams, waiters }: WatchedTurn): boolean {
  return streams.size === 0 && [...waiters].every(({ untilSettled }) => untilSettled);
}

function publishWatched(watched: WatchedTurn, pubsub: Pubsub): void {
  if (!waitsUntilSettled(watched)) pubsub.publishToWorkers({ kind: 'watched', turnId: watched.id });
}

/** Reads the turn for its watchers. After a successful read, it looks for live events. */
function readingsOf(watched: WatchedTurn, live: LiveEvents, context: WatchContext): Readings {
  const { pubsub, log, heartbeatMs } = context;
  return makeReadings({
    heartbeatMs,
    read: async ({ isWhole, seeksLive }) => {
      await readChanges(watched, isWhole, context);
      if (seeksLive) live.requestMissing();
    },
    beat: () => {
      for (const stream of watched.streams) stream.beat();
      publishWatched(watched, pubsub);
    },
    failed: (error) =>
      log.warn({ turn_id: watched.id, err: error }, 'could not read a watched turn (Pawl reads it again soon)'),
  });
}
