import { createHash } from 'node:crypto';
import { renderBody } from '../render-response.ts';
import { type ClientConnection, sendResponse } from '../send-response.ts';
import { answerAnthropic } from './anthropic/answer-anthropic.ts';
import type { BatchRequest } from './batch-request.ts';
import type { BatchStore } from './batch-store.ts';
import { answerGemini } from './gemini/answer-gemini.ts';
import { answerOpenai } from './openai/answer-openai.ts';

const ANSWERS = { openai: answerOpenai, anthropic: answerAnthropic, gemini: answerGemini };

type Answering = { store: BatchStore; client: ClientConnection; requestId: string };

/** Answers a request about batches in the form of its API. */
export async function answerBatchRequest(
  request: BatchRequest,
  body: Buffer<ArrayBuffer>,
  { store, client, requestId }: Answering,
): Promise<void> {
  const call = { request, owner: { api: request.api, account: accountOf(request) }, body };
  const { isCut = false, headers = {}, ...answer } = await ANSWERS[request.api](call, store);
  const rendered = renderBody({ ...answer, headers, thinkMs: 0 }, requestId);
  await sendResponse(isCut ? { ...rendered, ...cutOf(rendered.chunks.join('')) } : rendered, client);
}

/** Cuts a text in its second half, inside a line. */
function cutOf(text: string): { chunks: string[]; ending: 'cut' } {
  return { chunks: [text.slice(0, Math.ceil(text.length * 0.75))], ending: 'cut' };
}

/** Returns the account of a request: a hash of its key, in the header of the API or as a bearer token. */
function accountOf({ headers }: BatchRequest): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? '';
  return createHash('sha256')
    .update(String(key).replace(/^Bearer /i, ''))
    .digest('hex');
}
