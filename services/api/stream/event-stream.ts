import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { RequestRefused } from '#core/failure.ts';
import { turnNotFound } from '../find-own.ts';
import type { StreamFormat } from './format.ts';
import type { SentLive } from './live-buffer.ts';
import { type DurableMessage, durableMessages } from './message-cache.ts';
import type { Progress } from './progress.ts';
import type { TurnWatch, WatchContext } from './turn-watch.ts';
import { messagesIn, readEvents } from './watched-turn.ts';

/** Where a stream writes, one message at a time. Only its last message may be written while it is not ready. */
export type Sink = { isReady(): boolean; write(message: Uint8Array): void; end(): void };

/** Where a stream starts, how it is written, and where to. */
export type StreamStart = { after: number; format: StreamFormat; sink: Sink };

/** A stream that follows a turn: `advance` when the sink has room again, `leave` when its client is gone. */
export type EventStream = { advance(): void; leave(): void };

/**
 * Sends a turn's durable events after a number, each once and in order, and live events in between, to the end of
 * the turn. A slow client costs no memory: what its sink has no room for is taken from the turn again later.
 */
export function followTurn(watch: TurnWatch, context: WatchContext, { after, format, sink }: StreamStart): EventStream {
  const stream: StreamState = {
    ...{ watch, context, format, sink },
    sentUpTo: after,
    readUpTo: 0,
    sentLive: watch.watched.liveBuffer.nothingSent(),
    ...{ isBusy: false, isOver: false },
    leave: () => {},
  };
  messagesIn(format, watch.watched);
  stream.leave = watch.addStream({
    advance: () => void advance(stream),
    beat: () => hasRoom(stream) && send(stream, format.heartbeat),
    end: () => end(stream),
    refuse: (refused) => refuse(stream, refused),
  });
  return { advance: () => void advance(stream), leave: () => leave(stream) };
}

type StreamState = {
  watch: TurnWatch;
  context: WatchContext;
  format: StreamFormat;
  sink: Sink;
  /** The number of the last durable event that was sent. */
  sentUpTo: number;
  /** How far the turn had come when this stream last read it by itself. */
  readUpTo: number;
  sentLive: SentLive;
  isBusy: boolean;
  isOver: boolean;
  leave(): void;
};

async function advance(stream: StreamState): Promise<void> {
  if (stream.isBusy || stream.isOver) return;
  stream.isBusy = true;
  try {
    while (!sendKnown(stream)) await stream.context.pendingReads.add(readOn(stream));
  } catch (error) {
    stream.watch.readLater(error);
  } finally {
    stream.isBusy = false;
  }
}

/**
 * Sends what is in memory; false where this stream is so far behind that it has to read by itself. It may then have
 * sent more than the shared progress covers: until that is read again, no live event can be ordered.
 */
function sendKnown(stream: StreamState): boolean {
  const { watch, format } = stream;
  const { progress } = watch.watched;
  if (!progress) return true;
  while (hasRoom(stream) && stream.sentUpTo < progress.lastEvent) {
    const messages = messagesIn(format, watch.watched).after(stream.sentUpTo);
    if (!messages) return false;
    sendDurable(stream, messages);
  }
  if (stream.sentUpTo < progress.lastEvent) return true;
  if (progress.phase === 'ended') end(stream, format.end);
  else if (stream.readUpTo > progress.lastEvent) watch.readAgain();
  else if (hasRoom(stream)) sendLive(stream, progress);
  return true;
}

function sendDurable(stream: StreamState, messages: Iterable<DurableMessage>): void {
  for (const { number, bytes } of messages) {
    if (!hasRoom(stream)) return;
    stream.sentUpTo = number;
    send(stream, bytes);
  }
}

function sendLive(stream: StreamState, progress: Progress): void {
  const { watched } = stream.watch;
  const { events, sent } = watched.liveBuffer.unsent(stream.sentLive, progress);
  stream.sentLive = sent;
  const messages = messagesIn(stream.format, watched);
  for (const event of events) send(stream, messages.live(event));
}

/** Reads a page for this stream alone. A turn that has no more events, although it should, is gone. */
async function readOn(stream: StreamState): Promise<void> {
  const { watch, context, format, sentUpTo } = stream;
  const { db } = context;
  const turn = await loadTurn(db, watch.watched.id);
  const events = turn ? await readEvents(db, turn, { after: sentUpTo, limit: PAGE }) : [];
  if (!turn || events.length === 0) return refuse(stream, turnNotFound());
  stream.readUpTo = turn.lastEvent;
  sendDurable(stream, durableMessages(format, turn, events));
}

const PAGE = 50;

function refuse(stream: StreamState, refused: RequestRefused): void {
  end(stream, stream.format.refusal(refused));
}

function end(stream: StreamState, lastMessage = ''): void {
  if (stream.isOver) return;
  send(stream, lastMessage);
  leave(stream);
  stream.sink.end();
}

function leave(stream: StreamState): void {
  stream.isOver = true;
  stream.leave();
}

function hasRoom({ isOver, sink }: StreamState): boolean {
  return !isOver && sink.isReady();
}

function send({ sink }: StreamState, message: string | Uint8Array): void {
  if (message.length > 0) sink.write(typeof message === 'string' ? Buffer.from(message) : message);
}
