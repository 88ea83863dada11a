import { STREAM_BOUNDS, type StreamBounds } from '#core/bounds/stream-bounds.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Log } from '../../process/log.ts';
import type { Metrics } from '../../process/metrics/metrics.ts';
import type { ReadAnywhere } from '../read-anywhere.ts';
import { followTurn, type StreamStart } from './follow-turn.ts';
import type { EventStream, Sink } from './joined-stream.ts';
import { type ClosedStream, makePendingBytes, type PendingBytes } from './pending-bytes.ts';
import { makeSharedReads, type SharedReads } from './shared/shared-reads.ts';
import { type TurnWatch, type WatchContext, watchTurn } from './turn-watch.ts';
import { type CreatedTurns, makeCreatedTurns } from './watch/created-turns.ts';
import { makePendingReads } from './watch/pending-reads.ts';

/** The watched turns of this process. Each is read once for all its streams and long polls. */
export type StreamHub = {
  /** Adds a created turn after its commit. A wait in this process for the turn to settle then needs no first read. */
  addCreated(turn: Pick<Turn, 'id' | 'project' | 'status'>): void;
  /**
   * Returns a turn when it satisfies the wait, or when the time is up. Undefined if the turn was deleted or the
   * caller disconnected.
   */
  waitFor(turnId: string, isEnough: IsEnough, options: WaitOptions): Promise<Turn | undefined>;
  /**
   * Streams a turn's events after a number, to the end of the turn. A client that disconnects does not affect others.
   */
  follow(turnId: string, start: StreamStart): EventStream;
  /** Starts a stream in another form than a list of events. `start` is not called after the hub is closed. */
  join(turnId: string, sink: Sink, start: StartStream): EventStream;
  /** Reads a turn for streams that are about to open. Streams of the same turn that open together share the read. */
  readOnce: SharedReads;
  /** The messages that the clients of all streams have not read yet. */
  pending: PendingBytes;
  /** Counts the watched turns, streams and waiters. */
  count(): { turns: number; streams: number; waiters: number };
  /** Ends all streams and answers all long polls. Resolves when no read is pending. */
  close(): Promise<void>;
};

type StartStream = (watch: TurnWatch, context: WatchContext) => EventStream;
type IsEnough = (turn: Turn) => boolean;
/**
 * `untilSettled`: the caller only waits for the turn to end or to require action. Then a turn that this process
 * created in `project` is not read first.
 */
type WaitOptions = { timeoutMs: number; untilSettled?: boolean; project?: string; signal?: AbortSignal };

const HEARTBEAT_MS = 10_000;

type HubParts = {
  db: Db;
  readAnywhere: ReadAnywhere;
  pubsub: Pubsub;
  log: Log;
  metrics: Pick<Metrics, 'streamClosed'>;
  heartbeatMs?: number;
  bounds?: StreamBounds;
};

/** Makes the hub of a process. */
export function makeStreamHub({ bounds = STREAM_BOUNDS, ...parts }: HubParts): StreamHub {
  const context = { heartbeatMs: HEARTBEAT_MS, pendingReads: makePendingReads(), ...parts };
  const byTurn = new Map<string, TurnWatch>();
  const { pubsub } = context;
  const createdTurns = makeCreatedTurns();
  const unsubscribe = receiveMessages(pubsub, byTurn, createdTurns);
  let isClosed = false;

  function watchOf(turnId: string): TurnWatch {
    const watch = byTurn.get(turnId) ?? watchTurn(turnId, context, () => byTurn.delete(turnId));
    byTurn.set(turnId, watch);
    return watch;
  }
  function join(turnId: string, sink: Sink, start: StartStream): EventStream {
    if (!isClosed) return start(watchOf(turnId), context);
    sink.end();
    return { advance: () => {}, leave: () => {} };
  }
  function isKnownToWait(turnId: string, { untilSettled = false, project = '' }: WaitOptions): boolean {
    return untilSettled && pubsub.receivesWakes() && createdTurns.has(turnId, project);
  }
  return {
    addCreated: createdTurns.add,
    waitFor: async (turnId, isEnough, options) => {
      const wait = { ...options, isEnough, isKnownToWait: isKnownToWait(turnId, options) };
      const turn = isClosed ? undefined : await waitForTurn(watchOf(turnId), wait);
      createdTurns.delete(turnId);
      if (turn || options.signal?.aborted) return turn;
      return loadTurn(context.db, turnId);
    },
    follow: (turnId, start) => join(turnId, start.sink, (watch) => followTurn(watch, context, start)),
    join,
    readOnce: makeSharedReads(),
    pending: makePendingBytes(bounds, (stream) => reportClosed(stream, parts)),
    count: () => countWatchers([...byTurn.values()]),
    close: async () => {
      isClosed = true;
      unsubscribe();
      const all = [...byTurn.values()].flatMap(({ watched }) => [...watched.streams, ...watched.waiters]);
      for (const watcher of all) watcher.end();
      await context.pendingReads.settled();
    },
  };
}

/** Passes messages on to the watches of this process, and sends workers the turns that are watched. */
function receiveMessages(pubsub: Pubsub, byTurn: Map<string, TurnWatch>, createdTurns: CreatedTurns): () => void {
  const ends = [
    pubsub.subscribeToWakes({
      wake: (wake) => {
        createdTurns.changed(wake);
        byTurn.get(wake.turnId)?.wake(wake);
      },
      missed: () => {
        createdTurns.clear();
        for (const watch of byTurn.values()) watch.missed();
      },
    }),
    pubsub.subscribeToWorkers(({ kind }) => {
      if (kind === 'who-watches') for (const watch of byTurn.values()) watch.publishWatched();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function reportClosed(
  { project, turnId, unreadBytes }: ClosedStream,
  { log, metrics }: Pick<HubParts, 'log' | 'metrics'>,
): void {
  metrics.streamClosed(project);
  log.warn(
    { event: 'stream.closed', project, turn_id: turnId, unread_bytes: unreadBytes },
    'closed a stream because its client did not read, and the unread messages of all streams had reached their limit',
  );
}

type Wait = WaitOptions & { isEnough: IsEnough; isKnownToWait: boolean };

/**
 * Waits until a turn, read after the wait began, satisfies the wait. Undefined if the time, the caller or the process
 * ends first.
 */
async function waitForTurn(watch: TurnWatch, wait: Wait): Promise<Turn | undefined> {
  const { isEnough, isKnownToWait, timeoutMs, untilSettled = false, signal } = wait;
  const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
  const giveUp = () => resolve(undefined);
  const receive = (turn: Turn) => isEnough(turn) && resolve(turn);
  const leave = watch.addWaiter({ untilSettled, receive, end: giveUp }, isKnownToWait);
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', giveUp);
    clearTimeout(timer);
    leave();
  }
}

function countWatchers(all: TurnWatch[]) {
  const sum = (sizeOf: (watch: TurnWatch) => number) => all.reduce((total, watch) => total + sizeOf(watch), 0);
  return {
    turns: all.length,
    streams: sum(({ watched }) => watched.streams.size),
    waiters: sum(({ watched }) => watched.waiters.size),
  };
}
