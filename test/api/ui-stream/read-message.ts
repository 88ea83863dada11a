import {
  DefaultChatTransport,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import { expect } from 'vitest';
import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { problemsAt } from '../openapi/strictly.ts';

/** Returns the stream at a URL as `useChat` requests it after a page reload, or null if no turn is active. */
export function reconnect(url: string): Promise<ReadableStream<UIMessageChunk> | null> {
  const prepareReconnectToStreamRequest = () => ({ api: url });
  return new DefaultChatTransport({ prepareReconnectToStreamRequest }).reconnectToStream({ chatId: 'any' });
}

/** Returns the message that the AI SDK builds from a stream, and the errors of the stream. */
export async function readMessage(url: string): Promise<{ message: UIMessage | undefined; errors: string[] }> {
  const stream = await reconnect(url);
  if (!stream) return { message: undefined, errors: [] };
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push(String((error as Error).message));
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream, onError })) message = state;
  return { message, errors };
}

/**
 * Returns the chunks of an ended stream, and whether `[DONE]` follows. Checks each chunk against the SDK and the
 * document.
 */
export async function chunksOf(body: string): Promise<{ chunks: UiChunk[]; isDone: boolean }> {
  const frames = body.split('\n\n').filter((frame) => frame !== '' && frame !== ':');
  const data = frames.map((frame) => /^data: (.*)$/.exec(frame)?.[1] ?? `no data alone: ${frame}`);
  const isDone = data.at(-1) === '[DONE]';
  const chunks: UiChunk[] = (isDone ? data.slice(0, -1) : data).map((text) => JSON.parse(text));
  for (const chunk of chunks) await expectStrict(chunk);
  return { chunks, isDone };
}

/** Fails if the SDK refuses a chunk, or a chunk has an undescribed field. */
async function expectStrict(chunk: UiChunk): Promise<void> {
  const parsed = await uiMessageChunkSchema().validate?.(chunk);
  expect(parsed, JSON.stringify(chunk)).toMatchObject({ success: true });
  expect(problemsAt(['components', 'schemas', 'UiMessageChunk'], chunk), chunk.type).toEqual([]);
}
