import type { LatestEdition } from '#core/turn/responses/events.ts';
import { errorChunk, type UiChunk } from '#core/turn/ui-message/chunk.ts';
import { makeUiTeller, type UiTeller } from '#core/turn/ui-message/ui-teller.ts';
import { DONE, EVENT_STREAM_HEADERS, HEARTBEAT } from '../openai/responses/stream/event-frame.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from '../stream/joined-stream.ts';
import { runningRound } from '../stream/running-round.ts';
import { makeSharedPieces } from '../stream/shared/shared-pieces.ts';
import type { TurnWatch } from '../stream/turn-watch.ts';
import type { WatchedTurn } from '../stream/watched-turn.ts';

/** Where a stream writes, and the last event and the latest edition of the turn that its request read: nothing older is told. */
type MessageStart = { lastEvent: number; current: LatestEdition | null; sink: Sink };

/**
 * Tells a turn as a UI message from its start: what is committed as it is read, the text and the reasoning of the running
 * round as they come (contract-responses R60–R62). A slow client costs no memory. Whatever ends the stream before its
 * message, the client is told so: the SDK takes a silent end for the end of the message.
 */
export function followMessage(watch: TurnWatch, { sink, ...start }: MessageStart): EventStream {
  const teller = makeUiTeller((running, pieces) => sharePieces(watch.watched, running, pieces));
  return joinWatch(watch, sink, (joined) => ({
    tell: () => tellKnown(watch.watched, { teller, joined, ...start }),
    heartbeat: HEARTBEAT,
    refusal: (refused) => chunkFrame(errorChunk(refused)),
    farewell: Buffer.from(chunkFrame(errorChunk(STOPPING))),
  }));
}

const sharePieces = makeSharedPieces<UiChunk>();

const STOPPING = { code: 'server_stopping', message: 'This server stops. The turn goes on: ask for the stream again.' };

type Stream = { teller: UiTeller; joined: JoinedStream } & Omit<MessageStart, 'sink'>;

function tellKnown(watched: WatchedTurn, { teller, joined, lastEvent, current }: Stream): undefined {
  const { known } = watched;
  if (!known || known.lastEvent < lastEvent || !joined.hasRoom()) return;
  for (const chunk of teller.tell(known, runningRound(watched, current))) {
    joined.write(sharedChunkFrame(watched, chunk));
    if (!joined.hasRoom()) break;
  }
  const end = teller.end();
  if (end) joined.end(end === 'whole' ? DONE : undefined);
}

/** The headers of a UI message stream (contract-responses R60). */
export const UI_STREAM_HEADERS = { ...EVENT_STREAM_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' };

/** A chunk as it is written: one frame, in one write. */
function chunkFrame(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The same as bytes, which all streams of a turn share. */
function sharedChunkFrame({ renderings }: WatchedTurn, chunk: UiChunk): Uint8Array {
  const part = 'id' in chunk ? chunk.id : 'toolCallId' in chunk ? chunk.toolCallId : '';
  return renderings.bytesOf(`${chunk.type} ${part}`, chunk, () => chunkFrame(chunk));
}
