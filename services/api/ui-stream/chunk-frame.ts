import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { EVENT_STREAM_HEADERS } from '../openai/responses/stream/event-frame.ts';
import type { WatchedTurn } from '../stream/watched-turn.ts';

/** The headers of a UI message stream (contract-responses R60). */
export const UI_STREAM_HEADERS = { ...EVENT_STREAM_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' };

/** A chunk as it is written: one frame, in one write. */
export function chunkFrame(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The same as bytes, which all streams of a turn share. */
export function sharedChunkFrame({ renderings }: WatchedTurn, chunk: UiChunk): Uint8Array {
  const part = 'id' in chunk ? chunk.id : 'toolCallId' in chunk ? chunk.toolCallId : '';
  return renderings.bytesOf(`${chunk.type} ${part}`, chunk, () => chunkFrame(chunk));
}
