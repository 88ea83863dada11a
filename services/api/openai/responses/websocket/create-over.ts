import type { IncomingMessage } from 'node:http';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import { fillImages } from '../images/fill-images.ts';
import { type Followed, type KeptResponses, keptResponse } from './kept-responses.ts';
import { type SocketError, socketError } from './socket-error.ts';
import type { CreateMessage } from './socket-message.ts';
import type { SocketOutlet } from './socket-outlet.ts';
import type { SocketRequest } from './socket-request.ts';

/** The parts of a connection that a create request needs. */
export type Creating = {
  context: Pick<ApiContext, 'db' | 'log'>;
  answer: AnswerRequest;
  opening: IncomingMessage;
  kept: KeptResponses;
  /** Responses that have ended and are not kept yet. */
  keeping: Set<Promise<void>>;
  send(message: object): void;
};

/**
 * Answers a create request over the outlet until its end. Then keeps its response if the response is not stored. If
 * the response failed, it drops the kept response that it followed.
 */
export async function createOver(outlet: SocketOutlet, message: CreateMessage, creating: Creating): Promise<void> {
  const { kept, keeping, send } = creating;
  const { bytes, isWarmUp, streamId } = message;
  // A client may receive the last event of a response before that response is kept.
  await Promise.allSettled(keeping);
  const body = message.takeBody();
  const followed = kept.find(body.previous_response_id);
  let unstored: Unstored | undefined;
  const refused = await answerOver(outlet, creating, {
    ...{ body, bytes, isWarmUp, kept: followed, streamId },
    started: ({ id, stored }, request, follows) => {
      if (!stored) unstored = { id, request, follows, followed, requestBytes: bytes };
    },
  });
  if (refused) send(refused);
  const lastEvent = refused ? null : await outlet.lastEvent;
  if (followed && (refused || lastEvent === 'response.failed')) kept.drop(followed.id);
  if (unstored && lastEvent) {
    const ended = keep(unstored, streamId, creating).finally(() => keeping.delete(ended));
    keeping.add(ended);
    await ended;
  }
  await outlet.ended;
}

/** An unstored response that was created. */
type Unstored = Followed & { id: string };

/** Keeps a response. A response that has not ended, or cannot be read, is not kept. */
async function keep({ id, ...followed }: Unstored, streamId: string, { kept, context }: Creating): Promise<void> {
  const { db, log } = context;
  try {
    const turn = await loadTurn(db, id);
    if (turn && isTerminal(turn.status)) kept.keep(streamId, keptResponse(await fillImages(db, turn), followed));
  } catch (error) {
    log.warn({ err: error, turn_id: id }, 'could not keep an unstored response for the next request of its connection');
  }
}

/** Answers a request of the API like its routes. A stream is written to `outgoing`. */
export type AnswerRequest = (
  request: Request,
  env: { incoming: IncomingMessage; outgoing: SocketOutlet; socket: SocketRequest },
) => Response | Promise<Response>;

/** Headers of the opening request that apply to each create request. */
const KEPT_HEADERS = ['authorization', 'user-agent', 'traceparent', 'tracestate', 'pawl-on-disconnect', 'host'];

/** Begins to answer a create request over the outlet. Returns the error of a refused request, which has no stream. */
async function answerOver(
  outlet: SocketOutlet,
  { answer, opening }: { answer: AnswerRequest; opening: IncomingMessage },
  { streamId, ...socket }: SocketRequest & { streamId: string },
): Promise<SocketError | null> {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = opening.headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  const url = `http://localhost${opening.url}`;
  const request = new Request(url, { method: 'POST', headers: [...headers, ['content-type', 'application/json']] });
  const answered = await answer(request, { incoming: opening, outgoing: outlet, socket });
  const refused = answered.status < 400 ? null : ((await answered.json()) as Pick<SocketError, 'error'>);
  // An ended outlet does not cancel the response. A destroyed outlet does.
  if (refused) outlet.end();
  return refused && socketError(answered.status, refused, streamId);
}
