import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { EVENT_STREAM_HEADERS } from '../responses/stream/event-frame.ts';

/** The headers of a UI message stream (contract-responses R60). */
export const UI_STREAM_HEADERS = { ...EVENT_STREAM_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' };

/** A chunk as it is written: one frame, in one write. */
export function chunkFrame(chunk: UiChunk): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}
