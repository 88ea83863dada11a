import type { Db } from '#core/checkpoint/tables.ts';
import type { EventPage } from '#core/checkpoint/turns/reading/event-page.ts';
import { listEvents } from '#core/checkpoint/turns/reading/events.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { RequestRefused } from '#core/failure.ts';
import type { StoredEvent } from '#core/turn/event.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { turnNotFound } from '../http/find-own.ts';
import type { ReadAnywhere } from '../read-anywhere.ts';
import type { StreamFormat } from './format.ts';
import { type LiveBuffer, makeLiveBuffer } from './live-buffer.ts';
import { type MessageCache, makeMessageCache } from './message-cache.ts';
import { type Progress, progressOf } from './progress.ts';
import { type Renderings, shareRenderings } from './shared/renderings.ts';
import type { PendingReads } from './watch/pending-reads.ts';

/**
 * The state of a watched turn in this process, read once and received once for all clients. Only `readWhole` changes
 * `known` and `progress`. A new stream may set `isEnded` earlier.
 */
export type WatchedTurn = {
  id: string;
  streams: Set<Stream>;
  waiters: Set<Waiter>;
  /** The turn as it was last read. */
  known: Turn | undefined;
  /** The progress of the turn when it was last read. Undefined before the first read. */
  progress: Progress | undefined;
  /**
   * True if the turn had ended when it was last read, here or by the request of a stream. Then any database may serve
   * its reads.
   */
  isEnded: boolean;
  /** The messages in each format of a stream. */
  messages: Map<StreamFormat, MessageCache>;
  /** The messages of streams in the formats of other APIs. */
  renderings: Renderings;
  /** Pages of durable events that are being read, by the number before their first event. */
  pages: Map<number, Promise<EventPage | undefined>>;
  liveBuffer: LiveBuffer;
};

/** A stream of a turn's events. `advance` sends the available events, as far as there is room. */
export type Stream = { advance(): void; beat(): void; end(): void; refuse(refused: RequestRefused): void };

/** A long poll. It receives the turn at each whole read. With `untilSettled`, only changes to a settled turn matter. */
export type Waiter = { untilSettled: boolean; receive(turn: Turn): void; end(): void };

/** Makes a turn that was not read yet. */
export function newWatchedTurn(id: string): WatchedTurn {
  return {
    ...{ id, streams: new Set(), waiters: new Set() },
    ...{ known: undefined, progress: undefined, isEnded: false },
    ...{ messages: new Map(), renderings: shareRenderings(), pages: new Map(), liveBuffer: makeLiveBuffer() },
  };
}

/** Returns the messages of a watched turn in a format. */
export function messagesIn(format: StreamFormat, { messages }: WatchedTurn): MessageCache {
  const known = messages.get(format) ?? makeMessageCache(format);
  messages.set(format, known);
  return known;
}

const PAGE = 100;

/** The databases that watched turns are read from, and the reads in flight. */
export type WatchedReads = { db: Db; readAnywhere: ReadAnywhere; pendingReads: PendingReads };

/** Runs a query for a watched turn. Until the turn has ended, it runs on the primary, which has each commit first. */
export function readWatched<T>(
  { isEnded }: WatchedTurn,
  { db, readAnywhere, pendingReads }: WatchedReads,
  query: (db: Db) => Promise<T>,
): Promise<T> {
  return pendingReads.add(isEnded ? readAnywhere(query) : query(db));
}

/**
 * Reads a turn if it has a new event, or if `isWhole`, and advances its streams. If the turn was deleted, its streams
 * end.
 */
export function readChanges(watched: WatchedTurn, isWhole: boolean, reads: WatchedReads): Promise<void> {
  return readWatched(watched, reads, async (db) => {
    if (isWhole || (await hasChanged(watched, db))) await readWhole(watched, db);
    for (const stream of watched.streams) stream.advance();
  });
}

/** A single index lookup, so that a long turn is not read without need. */
async function hasChanged({ id, progress }: WatchedTurn, db: Db): Promise<boolean> {
  if (!progress) return true;
  const [event] = await listEvents(db, id, { after: progress.lastEvent, limit: 1 });
  return event !== undefined;
}

async function readWhole(watched: WatchedTurn, db: Db): Promise<void> {
  const turn = await loadTurn(db, watched.id, watched.known);
  watched.known = turn;
  if (!turn) {
    for (const stream of [...watched.streams]) stream.refuse(turnNotFound());
    for (const waiter of [...watched.waiters]) waiter.end();
    return;
  }
  const after = watched.progress?.lastEvent ?? turn.lastEvent;
  const changes = watched.streams.size > 0 ? await readEvents(db, turn, { after, limit: PAGE }) : [];
  for (const messages of watched.messages.values()) messages.add(turn, changes);
  watched.progress = progressOf(turn);
  watched.isEnded = isTerminal(turn.status);
  watched.liveBuffer.settle(watched.progress);
  for (const waiter of watched.waiters) waiter.receive(turn);
}

/**
 * Returns the durable events after a number that the loaded turn contains. A later event may refer to data that it
 * does not contain.
 */
async function readEvents(db: Db, turn: Turn, page: { after: number; limit: number }): Promise<StoredEvent[]> {
  if (turn.lastEvent <= page.after) return [];
  const events = await listEvents(db, turn.id, page);
  return events.filter(({ number }) => number <= turn.lastEvent);
}
