import type { LatestDraft } from '#core/turn/responses/events.ts';
import { errorChunk, type UiChunk } from '#core/turn/ui-message/chunk.ts';
import { makeUiSender, type UiSender } from '#core/turn/ui-message/ui-sender.ts';
import { DONE, EVENT_STREAM_HEADERS, HEARTBEAT } from '../openai/responses/stream/event-frame.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from '../stream/joined-stream.ts';
import { runningRound } from '../stream/running-round.ts';
import { makeSharedPieces } from '../stream/shared/shared-pieces.ts';
import type { TurnWatch } from '../stream/turn-watch.ts';
import type { WatchedTurn } from '../stream/watched-turn.ts';

/**
 * The sink of a stream, and the last event and the latest draft number of the turn that its request read. Older
 * events are not sent.
 */
type MessageStart = { lastEvent: number; current: LatestDraft | null; sink: Sink };

/**
 * Streams a turn as a UI message from its start: committed rounds when they are read, the text and reasoning of the
 * running round live. A slow client costs no memory. If the stream ends before its message, the client gets an error
 * chunk. The SDK would take a silent end for the end of the message.
 */
export function followMessage(watch: TurnWatch, { sink, ...start }: MessageStart): EventStream {
  const sender = makeUiSender((running, pieces) => sharePieces(watch.watched, running, pieces));
  return joinWatch(watch, sink, (joined) => ({
    send: () => sendKnown(watch.watched, { sender, joined, ...start }),
    heartbeat: HEARTBEAT,
    refusal: (refused) => chunkFrame(errorChunk(refused)),
    farewell: Buffer.from(chunkFrame(errorChunk(STOPPING))),
  }));
}

const sharePieces = makeSharedPieces<UiChunk>();

const STOPPING = {
  code: 'server_stopping',
  message: 'This server is stopping. The turn continues. Request the stream again.',
};

type Stream = { sender: UiSender; joined: JoinedStream } & Omit<MessageStart, 'sink'>;

function sendKnown(watched: WatchedTurn, { sender, joined, lastEvent, current }: Stream): undefined {
  const { known } = watched;
  if (!known || known.lastEvent < lastEvent || !joined.hasRoom()) return;
  for (const chunk of sender.send(known, runningRound(watched, current))) {
    joined.write(sharedChunkFrame(watched, chunk));
    if (!joined.hasRoom()) break;
  }
  const end = sender.end();
  if (end) joined.end(end === 'whole' ? DONE : undefined);
}

/** The headers of a UI message stream. */
export const UI_STREAM_HEADERS = { ...EVENT_STREAM_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' };

/** Returns a chunk as a single frame, for a single write. */
function chunkFrame(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Returns the same as bytes, which all streams of a turn share. */
function sharedChunkFrame({ renderings }: WatchedTurn, chunk: UiChunk): Uint8Array {
  const part =
    'id' in chunk ? chunk.id : 'toolCallId' in chunk ? chunk.toolCallId : 'sourceId' in chunk ? chunk.sourceId : '';
  return renderings.bytesOf(`${chunk.type} ${part}`, chunk, () => chunkFrame(chunk));
}
