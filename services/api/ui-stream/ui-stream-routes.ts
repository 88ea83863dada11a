import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { latestDraft } from '#core/turn/responses/events.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation, findOwnTurn } from '../http/find-own.ts';
import { isUnderResponses, RESPONSE_BASES, type ResponseBase } from '../http/response-base.ts';
import { streamHeaders } from '../http/response-headers.ts';
import { type ApiEnv, makeRouter } from '../http/router.ts';
import { operationAt } from '../openai/openai-router.ts';
import { findOwnResponse } from '../openai/responses/find-response.ts';
import { ResponseId } from '../openai/responses/schemas/response-object.ts';
import { openaiHeaders, responseRefusals } from '../openai/responses/schemas/response-refusals.ts';
import { refusals } from '../schemas/errors/refusals.ts';
import { ConversationId, TurnId } from '../schemas/fields/id.ts';
import { streamToResponse } from '../stream/response-stream.ts';
import { followMessage, UI_STREAM_HEADERS } from './follow-message.ts';
import { UiMessageChunk } from './ui-message-chunk.ts';

const STREAM = {
  description: 'The chunks of the message.',
  headers: z.object({
    'x-vercel-ai-ui-message-stream': z.literal('v1').describe('The version of the protocol.'),
  }),
  content: { 'text/event-stream': { schema: UiMessageChunk } },
};
const ABOUT =
  'Made for the AI SDK’s `useChat`, through a route of your server. The stream always begins at the start of the message. It ends with the turn, or when the turn waits for a client or a person. Closing the stream cancels no work.';

const ofTurn = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/ui-stream',
  operationId: 'streamTurnMessage',
  tags: ['Events'],
  summary: 'Stream a turn as a UI message of the AI SDK',
  description: ABOUT,
  request: { params: z.object({ id: TurnId }) },
  responses: { 200: STREAM, ...refusals('turn_not_found', 'too_many_streams', 'server_stopping') },
});

const ofConversation = createRoute({
  method: 'get',
  path: '/v1/conversations/{id}/ui-stream',
  operationId: 'streamActiveMessage',
  tags: ['Conversations'],
  summary: 'Stream the active turn of a conversation as a UI message of the AI SDK',
  description: ABOUT,
  request: { params: z.object({ id: ConversationId }) },
  responses: {
    200: STREAM,
    204: { description: 'The conversation has no active turn.' },
    ...refusals('conversation_not_found', 'too_many_streams', 'server_stopping'),
  },
});

const ofResponseAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/responses/{id}/ui-stream`,
    ...operationAt(base, 'streamResponseMessage', 'Stream a response as a UI message of the AI SDK'),
    tags: ['Responses'],
    description: ABOUT,
    request: { params: z.object({ id: ResponseId }) },
    responses: {
      200: { ...STREAM, headers: z.object({ ...openaiHeaders, ...STREAM.headers.shape }) },
      ...responseRefusals('response_not_found', 'too_many_streams', 'server_stopping'),
    },
  });

type Context = Pick<ApiContext, 'db' | 'streamHub' | 'streamLimiter' | 'isClosing'>;

/** Serves a turn as a UI message stream: by its own id, as a response, and as the active turn of a conversation. */
export function uiStreamRoutes(context: Context) {
  const { db } = context;
  const router = makeRouter()
    .openapi(ofTurn, async (c) => {
      const [project, id] = [c.get('project'), c.req.valid('param').id];
      const turn = await context.streamHub.readOnce(`${project} ${id}`, () => findOwnTurn(db, project, id));
      return stream(c, context, turn) as never;
    })
    .openapi(ofConversation, async (c) => {
      const project = c.get('project');
      const { activeTurnId } = await findOwnConversation(db, project, c.req.valid('param').id);
      const turn = activeTurnId === null ? undefined : await findTurn(db, project, activeTurnId);
      return turn ? (stream(c, context, turn) as never) : c.body(null, 204);
    });
  for (const base of RESPONSE_BASES) {
    router.openapi(ofResponseAt(base), async (c) => {
      const [project, id] = [c.get('project'), c.req.valid('param').id];
      const turn = await context.streamHub.readOnce(`${project} ${id}`, () => findOwnResponse(db, project, id));
      return stream(c, context, turn) as never;
    });
  }
  return router;
}

function stream(c: HonoContext<ApiEnv>, context: Context, turn: Turn): Response {
  if (context.isClosing()) throw serverStopping();
  const own = isUnderResponses(c.req.path) ? { ...Object.fromEntries(c.res.headers), ...streamHeaders(c) } : {};
  const headers = { ...own, ...UI_STREAM_HEADERS };
  // The body of a HEAD request is dropped: no client would ever read or cancel the stream.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const project = c.get('project');
  streamToResponse(c.env.outgoing, {
    headers,
    ...{ pending: context.streamHub.pending, project, turnId: turn.id },
    open: (sink) => {
      const start = { lastEvent: turn.lastEvent, current: latestDraft(turn), sink };
      return context.streamHub.join(turn.id, sink, (watch) => followMessage(watch, start));
    },
    closed: context.streamLimiter.acquire({ project, keyId: c.get('keyId') }),
  });
  return RESPONSE_ALREADY_SENT;
}

function serverStopping(): RequestRefused {
  return new RequestRefused(
    503,
    'server_stopping',
    'This server is stopping. Send the request again: another server will answer.',
  );
}
