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

/** The parts a watch needs. Every `heartbeatMs` a turn is read without a hint, since hints may get lost. */
export type WatchContext = WatchedReads & { pubsub: Pubsub; log: Log; heartbeatMs: number };

/** One turn being watched. A watcher leaves by the returned function. */
export type TurnWatch = {
  watched: WatchedTurn;
  /** Adds a stream, and has the turn read once more. */
  addStream(stream: Stream): () => void;
  /** Adds a waiter, and has the turn read once more, unless the waiter is known to wait for a later change. */
  addWaiter(waiter: Waiter, isKnownToWait?: boolean): () => void;
  wake(wake: Pick<TurnWake, 'goesOn'>): void;
  /** Messages of the turn may be lost. */
  missed(): void;
  /** Asks the workers to publish what happens to the turn, if a watcher wants more than its settled state. */
  publishWatched(): void;
  /** For a stream that has read by itself more than the shared progress covers. */
  readAgain(): void;
  /** For a stream that failed to read by itself: everything is read again a moment later. */
  readLater(error: unknown): void;
};

/** Why a turn is read. */
const EVENT_AHEAD: Reading = { isWhole: false, seeksLive: false };
const STREAM_JOINED: Reading = { isWhole: false, seeksLive: true };
const CHANGED: Reading = { isWhole: true, seeksLive: false };
const MESSAGES_LOST: Reading = { isWhole: true, seeksLive: true };

/** Watches a turn until its last watcher has left; `closed` is called then. */
export function watchTurn(id: string, context: WatchContext, closed: () => void): TurnWatch {
  const { pubsub } = context;
  const watched = newWatchedTurn(id);
  const { streams, waiters } = watched;
  const live = receiveLiveEvents(watched, pubsub, () => readings.request(EVENT_AHEAD));
  const readings = readingsOf(watched, live, context);

  /** From its first watcher that wants more than its settled state, workers publish all that happens to the turn. */
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

/** Returns whether all watchers only wait for the turn to settle; nothing on the way is read for them. */
function waitsUntilSettled({ streams, waiters }: WatchedTurn): boolean {
  return streams.size === 0 && [...waiters].every(({ untilSettled }) => untilSettled);
}

function publishWatched(watched: WatchedTurn, pubsub: Pubsub): void {
  if (!waitsUntilSettled(watched)) pubsub.publishToWorkers({ kind: 'watched', turnId: watched.id });
}

/** Reads the turn for its watchers. Live events are looked for after a reading that has succeeded. */
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
      log.warn({ turn_id: watched.id, err: error }, 'a watched turn could not be read; it is read again soon'),
  });
}
