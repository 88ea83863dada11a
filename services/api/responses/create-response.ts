import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { type Made, withIdempotencyKey } from '../http/idempotency.ts';
import { RESPONSE_BASES, type ResponseBase } from '../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { publishChanges } from '../publish-changes.ts';
import { idempotencyKey, replayedHeader } from '../schemas/fields/headers.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../schemas/refusals.ts';
import { answerWhenEnded } from './answer-ended.ts';
import { findOwnResponse, responseNotFound } from './find-response.ts';
import { type HeldConnections, makeHeldConnections } from './held-connections.ts';
import { readResponseRequest } from './read-request.ts';
import { explainResponseIssues } from './request/explain-issues.ts';
import { ResponseBody } from './response-body.ts';
import { operationAt } from './schemas/operation-at.ts';
import {
  createRefusals,
  ignoredToolsHeader,
  openaiHeaders,
  responseIdHeader,
  responseOrEvents,
} from './schemas/response-refusals.ts';
import { type StartedResponse, startingOf } from './start-response.ts';
import { streamResponse } from './stream-response.ts';

const onDisconnect = {
  name: 'Pawl-On-Disconnect',
  in: 'header' as const,
  description: '`continue`: the response goes on when this connection is closed. By default that cancels it.',
  schema: { type: 'string' as const, enum: ['continue', 'cancel'] },
};

const createAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/responses`,
    ...operationAt(base, 'createResponse', 'Create a response, and wait for it'),
    description:
      'With `background: true` it is answered at once, `queued`. With `stream: true` it is a stream of events. A response ' +
      'that failed is answered as an error of the provider’s kind, with its id in the header `pawl-response-id`.',
    parameters: [idempotencyKey, onDisconnect],
    request: { body: { required: true, content: json(ResponseBody) } },
    responses: {
      200: {
        description: 'The response: ended, or queued where it runs in the background. As a stream: its events.',
        headers: z.object({ ...openaiHeaders, ...replayedHeader, ...responseIdHeader, ...ignoredToolsHeader }),
        content: responseOrEvents,
      },
      ...createRefusals(...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain),
    },
  });

type CreateHandler = RouteHandler<ReturnType<typeof createAt>, ApiEnv>;

/** `POST /v1/responses` and `POST /openai/v1/responses`. */
export function createResponseRoutes(context: ApiContext) {
  const router = makeRouter(explainResponseIssues);
  const handler = create(context, makeHeldConnections(context));
  for (const base of RESPONSE_BASES) router.openapi(createAt(base), handler);
  return router;
}

function create(context: ApiContext, held: HeldConnections): CreateHandler {
  return async (c) => {
    const project = c.get('project');
    const request = await readResponseRequest(c.req.valid('json'), { ...context, project });
    const { wire } = context.providers.find(splitModel(request.config.model).provider).capabilities;
    // An answer that takes long counts among the streams and long polls of its key: it is refused before anything is done.
    const takesLong = request.stream || !request.background;
    const release = takesLong ? context.streamLimiter.acquire({ project, keyId: c.get('keyId') }) : () => {};
    try {
      const made = await withIdempotencyKey(c, context, startingOf({ project, keyId: c.get('keyId'), request, wire }));
      const turn = await madeTurn(c, context, made);
      if (request.ignoredTools.length > 0) c.header('pawl-ignored-tools', request.ignoredTools.join(', '));
      if (!request.background) held.hold(c.env.outgoing, turn, { goesOn: mayGoOn(c) });
      if (!takesLong) return c.json(presentResponse(context.stateSeals.sealRounds(turn)), 200);
      // Streams count themselves. What is streamed or held is not the one answer that the types know of.
      if (request.stream) release();
      const answer = request.stream ? streamResponse : answerWhenEnded;
      return (await answer(c, context, { turn, after: null })) as never;
    } finally {
      release();
    }
  };
}

function mayGoOn(c: Context<ApiEnv>): boolean {
  return c.req.header('pawl-on-disconnect')?.toLowerCase() === 'continue';
}

/** The turn that was started just now, or that was when the same key came first: also one that is not stored. */
async function madeTurn(c: Context<ApiEnv>, context: ApiContext, made: Made | StartedResponse): Promise<Turn> {
  if ('turn' in made) {
    await publishChanges(context, { wakeups: made.wakeups });
    return made.turn;
  }
  const turn = await loadTurn(context.db, made.resourceId);
  if (!turn) throw responseNotFound();
  return turn.stored ? findOwnResponse(context.db, c.get('project'), made.resourceId.replace(/^turn_/, 'resp_')) : turn;
}
