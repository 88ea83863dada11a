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
 * What this process knows of a turn that clients watch: read once and received once for all of them. Only
 * `readWhole` changes `known` and `progress`. A new stream may set `isEnded` earlier.
 */
export type WatchedTurn = {
  id: string;
  streams: Set<Stream>;
  waiters: Set<Waiter>;
  /** The turn as it was last read. */
  known: Turn | undefined;
  /** How far the turn had come when it was last read; undefined before the first time. */
  progress: Progress | undefined;
  /** True if the turn had ended when it was last read, here or by the request of a stream. Then it is read anywhere. */
  isEnded: boolean;
  /** The messages in each format that a stream is written in. */
  messages: Map<StreamFormat, MessageCache>;
  /** The messages of streams in the words of other APIs. */
  renderings: Renderings;
  /** Pages of durable events that are being read, by the number that they begin behind. */
  pages: Map<number, Promise<EventPage | undefined>>;
  liveBuffer: LiveBuffer;
};

/** A stream of a turn's events: `advance` sends what there is to send, as far as there is room. */
export type Stream = { advance(): void; beat(): void; end(): void; refuse(refused: RequestRefused): void };

/** A long poll: it receives the turn whenever it is read whole; `untilSettled`, only changes to a settled turn matter. */
export type Waiter = { untilSettled: boolean; receive(turn: Turn): void; end(): void };

/** A turn that was not read yet. */
export function newWatchedTurn(id: string): WatchedTurn {
  return {
    ...{ id, streams: new Set(), waiters: new Set() },
    ...{ known: undefined, progress: undefined, isEnded: false },
    ...{ messages: new Map(), renderings: shareRenderings(), pages: new Map(), liveBuffer: makeLiveBuffer() },
  };
}

/** The messages of a watched turn in one format. */
export function messagesIn(format: StreamFormat, { messages }: WatchedTurn): MessageCache {
  const known = messages.get(format) ?? makeMessageCache(format);
  messages.set(format, known);
  return known;
}

const PAGE = 100;

/** The databases that watched turns are read from, and the reads in flight. */
export type WatchedReads = { db: Db; readAnywhere: ReadAnywhere; pendingReads: PendingReads };

/** Runs a query for a watched turn. Until the turn has ended, the primary runs it, which has each commit first. */
export function readWatched<T>(
  { isEnded }: WatchedTurn,
  { db, readAnywhere, pendingReads }: WatchedReads,
  query: (db: Db) => Promise<T>,
): Promise<T> {
  return pendingReads.add(isEnded ? readAnywhere(query) : query(db));
}

/** Reads a turn that has a new event, or if `isWhole`, and advances its streams; one that is gone ends them. */
export function readChanges(watched: WatchedTurn, isWhole: boolean, reads: WatchedReads): Promise<void> {
  return readWatched(watched, reads, async (db) => {
    if (isWhole || (await hasChanged(watched, db))) await readWhole(watched, db);
    for (const stream of watched.streams) stream.advance();
  });
}

/** One look at the index; a long turn is not read again and again for nothing. */
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

/** The durable events after a number that the loaded turn knows: what a later one points at need not be in it. */
async function readEvents(db: Db, turn: Turn, page: { after: number; limit: number }): Promise<StoredEvent[]> {
  if (turn.lastEvent <= page.after) return [];
  const events = await listEvents(db, turn.id, page);
  return events.filter(({ number }) => number <= turn.lastEvent);
}
