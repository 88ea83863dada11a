import { type EventPage, readEventPage } from '#core/checkpoint/turns/reading/event-page.ts';
import { turnNotFound } from '../http/find-own.ts';
import type { StreamFormat } from './format.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from './joined-stream.ts';
import type { SentLive } from './live-buffer.ts';
import type { DurableMessage } from './message-cache.ts';
import type { Progress } from './progress.ts';
import type { TurnWatch, WatchContext } from './turn-watch.ts';
import { messagesIn, readWatched } from './watched-turn.ts';

/** The start of a stream, whether its turn has already ended, its format, and its sink. */
export type StreamStart = { after: number; isEnded?: boolean; format: StreamFormat; sink: Sink };

/**
 * Sends a turn's durable events after a number, each once and in order, and live events in between, until the turn
 * ends. A slow client costs no memory: if its sink has no room, the events are read from the turn again later.
 */
export function followTurn(watch: TurnWatch, context: WatchContext, start: StreamStart): EventStream {
  const { after, isEnded = false, format, sink } = start;
  if (isEnded) watch.watched.isEnded = true;
  messagesIn(format, watch.watched);
  return joinWatch(watch, sink, (joined) => {
    const stream: StreamState = {
      ...{ watch, context, format, joined },
      sentUpTo: after,
      readUpTo: 0,
      sentLive: watch.watched.liveBuffer.nothingSent(),
    };
    return {
      send: () => (sendKnown(stream) ? undefined : readOn(stream)),
      heartbeat: format.heartbeat,
      refusal: format.refusal,
    };
  });
}

type StreamState = {
  watch: TurnWatch;
  context: WatchContext;
  format: StreamFormat;
  joined: JoinedStream;
  /** The number of the last durable event that was sent. */
  sentUpTo: number;
  /** The progress of the turn when this stream last read it alone. */
  readUpTo: number;
  sentLive: SentLive;
};

/**
 * Sends events from memory. Returns false if this stream is so late that it must read alone. It may then have sent
 * more than the shared progress covers: until the next shared read, no live event can be ordered.
 */
function sendKnown(stream: StreamState): boolean {
  const { watch, format, joined } = stream;
  const { progress } = watch.watched;
  if (!progress) return true;
  while (joined.hasRoom() && stream.sentUpTo < progress.lastEvent) {
    const messages = messagesIn(format, watch.watched).after(stream.sentUpTo);
    if (!messages) return false;
    sendDurable(stream, messages);
  }
  if (stream.sentUpTo < progress.lastEvent) return true;
  if (progress.phase === 'ended') joined.end(format.end);
  else if (stream.readUpTo > progress.lastEvent) watch.readAgain();
  else if (joined.hasRoom()) sendLive(stream, progress);
  return true;
}

function sendDurable(stream: StreamState, messages: Iterable<DurableMessage>): void {
  for (const { number, bytes } of messages) {
    if (!stream.joined.hasRoom()) return;
    stream.sentUpTo = number;
    stream.joined.write(bytes);
  }
}

function sendLive(stream: StreamState, progress: Progress): void {
  const { watched } = stream.watch;
  const { events, sent } = watched.liveBuffer.unsent(stream.sentLive, progress);
  stream.sentLive = sent;
  const messages = messagesIn(stream.format, watched);
  for (const event of events) stream.joined.write(messages.live(event));
}

/**
 * Reads further events from the position of this stream. If the turn has no more events before its end, it was
 * deleted.
 */
async function readOn(stream: StreamState): Promise<void> {
  const { watch, format, joined } = stream;
  const page = await readPage(stream);
  if (!page || page.events.length === 0) return joined.end(format.refusal(turnNotFound()));
  const { turn, events } = page;
  stream.readUpTo = turn.lastEvent;
  sendDurable(stream, messagesIn(format, watch.watched).durable(turn, events));
}

/** Reads the page after a number, once for all streams at that number. */
function readPage({ watch: { watched }, context, sentUpTo }: StreamState): Promise<EventPage | undefined> {
  const running = watched.pages.get(sentUpTo);
  if (running) return running;
  const page = readWatched(watched, context, (db) => readEventPage(db, watched.id, { after: sentUpTo, limit: PAGE }));
  watched.pages.set(sentUpTo, page);
  return page.finally(() => watched.pages.delete(sentUpTo));
}

const PAGE = 50;
