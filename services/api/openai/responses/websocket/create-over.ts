import type { IncomingMessage } from 'node:http';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import { type AnswerRequest, answerOver } from './answer-over.ts';
import { type Followed, type KeptResponses, keptResponse } from './kept-responses.ts';
import type { CreateMessage } from './socket-message.ts';
import type { SocketOutlet } from './socket-outlet.ts';

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
 * Answers a create request over the outlet, to its end. Then keeps its response if that is not stored, and drops the
 * kept response that it followed if it has failed (contract-responses R73).
 */
export async function createOver(outlet: SocketOutlet, message: CreateMessage, creating: Creating): Promise<void> {
  const { kept, keeping, send } = creating;
  const { bytes, isWarmUp, streamId } = message;
  // A client may have the last event of a response before that response is kept.
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

/** Keeps a response. One that has not ended, or cannot be read, is not kept. */
async function keep({ id, ...followed }: Unstored, streamId: string, { kept, context }: Creating): Promise<void> {
  const { db, log } = context;
  try {
    const turn = await loadTurn(db, id);
    if (turn && isTerminal(turn.status)) kept.keep(streamId, keptResponse(turn, followed));
  } catch (error) {
    log.warn({ err: error, turn_id: id }, 'an unstored response was not kept for the next request of its connection');
  }
}
