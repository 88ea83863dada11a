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

/** The stream at a URL as `useChat` asks for it when a page is opened again; null where none is active. */
export function reconnect(url: string): Promise<ReadableStream<UIMessageChunk> | null> {
  const prepareReconnectToStreamRequest = () => ({ api: url });
  return new DefaultChatTransport({ prepareReconnectToStreamRequest }).reconnectToStream({ chatId: 'any' });
}

/** The message that the AI SDK makes of a stream, and the errors it was told of. */
export async function readMessage(url: string): Promise<{ message: UIMessage | undefined; errors: string[] }> {
  const stream = await reconnect(url);
  if (!stream) return { message: undefined, errors: [] };
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push(String((error as Error).message));
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream, onError })) message = state;
  return { message, errors };
}

/** The chunks of a stream that has ended, each as the SDK and the document want it, and whether `[DONE]` came behind them. */
export async function chunksOf(body: string): Promise<{ chunks: UiChunk[]; isDone: boolean }> {
  const frames = body.split('\n\n').filter((frame) => frame !== '' && frame !== ':');
  const data = frames.map((frame) => /^data: (.*)$/.exec(frame)?.[1] ?? `no data alone: ${frame}`);
  const isDone = data.at(-1) === '[DONE]';
  const chunks: UiChunk[] = (isDone ? data.slice(0, -1) : data).map((text) => JSON.parse(text));
  for (const chunk of chunks) await expectStrict(chunk);
  return { chunks, isDone };
}

/** Fails for a chunk that the SDK refuses, or that has a field more. */
async function expectStrict(chunk: UiChunk): Promise<void> {
  const parsed = await uiMessageChunkSchema().validate?.(chunk);
  expect(parsed, JSON.stringify(chunk)).toMatchObject({ success: true });
  expect(problemsAt(['components', 'schemas', 'UiMessageChunk'], chunk), chunk.type).toEqual([]);
}
