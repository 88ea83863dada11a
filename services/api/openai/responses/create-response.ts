import { type RouteHandler, z } from '@hono/zod-openapi';
import { allowedAgents } from '../../agents/allowed-agents.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, json, routesOf } from '../../http/router.ts';
import { ofChain, ofConfig, ofIdempotencyKey, ofResponseBody } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../schemas/fields/headers.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { answerWhenEnded } from './creating/answer-ended.ts';
import { createTurn } from './creating/create-turn.ts';
import { type HeldConnections, makeHeldConnections } from './creating/held-connections.ts';
import { presentFilled } from './present-filled.ts';
import { readResponseRequest } from './read-response-request.ts';
import { explainResponseIssues } from './request/explain-issues.ts';
import { ResponseBody } from './response-body.ts';
import {
  createRefusals,
  ignoredToolsHeader,
  openaiHeaders,
  responseIdHeader,
  responseOrEvents,
} from './schemas/response-refusals.ts';
import { streamResponse } from './stream-response.ts';
import { asSocketRequest } from './websocket/socket-request.ts';

/** The header that lets a response continue without its client. */
export const onDisconnect = {
  name: 'Pawl-On-Disconnect',
  in: 'header' as const,
  description: '`continue`: the response continues if this connection closes. Default: Pawl cancels the response.',
  schema: { type: 'string' as const, enum: ['continue', 'cancel'] },
};

const route = routesOf('Responses', createRefusals);

const createOne = route('post', '/responses', 'createResponse', {
  summary: 'Create a response, and wait for it',
  description:
    'With `background: true` the answer is sent at once, with the status `queued`. With `stream: true` it is a stream of events. A failed response returns an error of the same kind as the provider’s, with the response’s id in the header `pawl-response-id`.',
  parameters: [idempotencyKey, onDisconnect],
  request: { body: { required: true, content: json(ResponseBody) } },
  answers: {
    200: {
      description:
        'The response after its end, or the queued response with `background: true`. As a stream: its events.',
      headers: z.object({ ...openaiHeaders, ...replayedHeader, ...responseIdHeader, ...ignoredToolsHeader }),
      content: responseOrEvents,
    },
  },
  refusals: [...ofResponseBody, ...ofConfig, ...ofIdempotencyKey, ...ofChain],
});

/** Serves `POST /v1/responses` and `POST /openai/v1/responses`. */
export function createResponseRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainResponseIssues, [serve(createOne, create(context, makeHeldConnections(context)))]);
}

function create(context: ApiContext, held: HeldConnections): RouteHandler<typeof createOne, ApiEnv> {
  return async (c) => {
    const body = c.req.valid('json');
    const { stream, background } = body;
    const { socket } = c.env;
    const rules = {
      ...context,
      project: c.get('project'),
      allowedAgents: allowedAgents(c, context),
      mayBeEmpty: socket?.isWarmUp,
    };
    const answer = stream ? streamResponse : answerWhenEnded;
    // The route types do not cover streamed or held answers.
    return (await createTurn(c, context, {
      read: async () => asSocketRequest(await readResponseRequest(body, rules), socket),
      started: socket?.started,
      held: background ? null : held,
      isStream: stream ?? false,
      answer: async (turn) =>
        stream || !background
          ? answer(c, context, { turn, after: null })
          : c.json(await presentFilled(context, turn), 200),
    })) as never;
  };
}
