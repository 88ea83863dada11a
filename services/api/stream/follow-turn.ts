import { type EventPage, readEventPage } from '#core/checkpoint/turns/reading/event-page.ts';
import { turnNotFound } from '../http/find-own.ts';
import type { StreamFormat } from './format.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from './joined-stream.ts';
import type { SentLive } from './live-buffer.ts';
import type { DurableMessage } from './message-cache.ts';
import type { Progress } from './progress.ts';
import type { TurnWatch, WatchContext } from './turn-watch.ts';
import { messagesIn, readWatched } from './watched-turn.ts';

/** Where a stream starts, whether its turn has ended already, how it is written, and where to. */
export type StreamStart = { after: number; isEnded?: boolean; format: StreamFormat; sink: Sink };

/**
 * Sends a turn's durable events after a number, each once and in order, and live events in between, to the end of
 * the turn. A slow client costs no memory: what its sink has no room for is taken from the turn again later.
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
      tell: () => (sendKnown(stream) ? undefined : readOn(stream)),
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
  /** How far the turn had come when this stream last read it by itself. */
  readUpTo: number;
  sentLive: SentLive;
};

/**
 * Sends what is in memory; false where this stream is so far behind that it has to read by itself. It may then have
 * sent more than the shared progress covers: until that is read again, no live event can be ordered.
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

/** Reads on from where this stream is. A turn that has no more events, although it should, is gone. */
async function readOn(stream: StreamState): Promise<void> {
  const { watch, format, joined } = stream;
  const page = await readPage(stream);
  if (!page || page.events.length === 0) return joined.end(format.refusal(turnNotFound()));
  const { turn, events } = page;
  stream.readUpTo = turn.lastEvent;
  sendDurable(stream, messagesIn(format, watch.watched).durable(turn, events));
}

/** Reads the page behind a number once for all streams that are there. */
function readPage({ watch: { watched }, context, sentUpTo }: StreamState): Promise<EventPage | undefined> {
  const running = watched.pages.get(sentUpTo);
  if (running) return running;
  const page = readWatched(watched, context, (db) => readEventPage(db, watched.id, { after: sentUpTo, limit: PAGE }));
  watched.pages.set(sentUpTo, page);
  return page.finally(() => watched.pages.delete(sentUpTo));
}

const PAGE = 50;
