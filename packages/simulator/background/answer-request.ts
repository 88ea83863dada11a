import { type Problem, refuse } from '../error-body.ts';
import { renderBody, streamHead } from '../render-response.ts';
import { type ClientConnection, sendResponse } from '../send-response.ts';
import { followEvents } from './follow-events.ts';
import { endResponse, type KeptResponse } from './kept-response.ts';
import type { ResponseRequest } from './response-request.ts';
import type { ResponseLimits, ResponseStore } from './response-store.ts';

type About = Pick<ResponseRequest, 'kind' | 'id' | 'startingAfter'>;
type Answering = { store: ResponseStore; client: ClientConnection; requestId: string };

/** Answers a request about a kept response. */
export async function answerRequest(request: About, { store, client, requestId }: Answering): Promise<void> {
  const kept = store.find(request.id);
  const problem = kept ? problemOf(request, kept, store.limits) : notFound(request.id);
  if (problem || !kept) return sendResponse(renderBody(refuse(problem ?? notFound(request.id)), requestId), client);
  const send = (body: unknown, headers = {}) =>
    sendResponse(renderBody({ status: 200, headers, body, thinkMs: 0 }, requestId), client);
  switch (request.kind) {
    case 'read':
      return send(kept.state, pollHeader(store.limits));
    case 'stream': {
      const { status, headers } = streamHead(requestId);
      client.head(status, headers);
      return followEvents(kept, { after: Number(request.startingAfter ?? -1), flaw: null }, client);
    }
    case 'cancel':
      if (kept.endedAt === null) endResponse(kept, { ...kept.state, status: 'cancelled' });
      return send(kept.state);
    case 'delete':
      store.lose(kept.id);
      return send({ id: kept.id, object: 'response', deleted: true });
  }
}

/** Returns the reason why OpenAI would refuse a request about a response, or null. */
function problemOf(request: About, kept: KeptResponse, limits: ResponseLimits): Problem | null {
  if (request.kind === 'cancel') return kept.isBackground ? null : SYNCHRONOUS;
  if (request.kind !== 'stream') return null;
  if (!kept.isBackground) return unstreamable('cannot be streamed because it was not created with background=true');
  if (!kept.isStream) return unstreamable('cannot be streamed because it was not created with stream=true');
  const isOld = Date.now() - kept.createdAt >= limits.streamWindowMs;
  if (isOld || !kept.isOffered) {
    return unstreamable('can no longer be streamed because it is more than 5 minutes old');
  }
  return /^\d+$/.test(request.startingAfter ?? '0') ? null : NO_NUMBER;
}

const SYNCHRONOUS = { code: null, message: 'Cannot cancel a synchronous response.', param: null };
const NO_NUMBER = {
  code: 'invalid_value',
  message: "Invalid 'starting_after': expected an integer of at least 0.",
  param: 'starting_after',
};

function unstreamable(reason: string): Problem {
  return { code: 'invalid_request_error', message: `This response ${reason}.`, param: 'stream' };
}

function notFound(id: string): Problem {
  return { code: null, message: `Response with id '${id}' not found.`, param: null, status: 404 };
}

function pollHeader({ pollAfterMs }: ResponseLimits): Record<string, string> {
  return pollAfterMs === null ? {} : { 'openai-poll-after-ms': String(pollAfterMs) };
}
