import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { newId } from '#core/id.ts';
import { type StandingConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { takeInput } from '../blobs/take-input.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation, findOwnTurn } from '../find-own.ts';
import { type Made, withIdempotencyKey } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { publishChanges } from '../publish-changes.ts';
import { mergeConfig, resolveConfig } from '../resolve-config.ts';
import type { ErrorCode } from '../schemas/error-codes.ts';
import { idempotencyKey, locationHeader, pollAfterHeader, replayedHeader } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { ofBody, ofConfig, ofIdempotencyKey, refusals } from '../schemas/refusals.ts';
import { Turn } from '../schemas/turn.ts';
import { type Started, startingConversation, startTurn } from '../start-turn.ts';

const parameters = [idempotencyKey];
const request = { body: { required: true, content: json(TurnRequest) } } as const;
const started = {
  202: {
    description: 'Started, and committed: it is worked whatever happens now.',
    headers: z.object({ ...locationHeader, ...pollAfterHeader, ...replayedHeader }),
    content: json(Turn),
  },
};
const refused: ErrorCode[] = [...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content'];

const oneShot = createRoute({
  method: 'post',
  path: '/v1/turns',
  operationId: 'startTurn',
  tags: ['Turns'],
  summary: 'Start a turn in a new conversation',
  description: 'What it is given becomes the standing configuration of the conversation.',
  parameters,
  request,
  responses: { ...started, ...refusals(...refused) },
});

const inConversation = createRoute({
  method: 'post',
  path: '/v1/conversations/{id}/turns',
  operationId: 'startNextTurn',
  tags: ['Turns'],
  summary: 'Start a turn in a conversation',
  description: 'What is left out it inherits; what is given replaces that for this turn only.',
  parameters,
  request: { ...request, params: z.object({ id: ConversationId }) },
  responses: { ...started, ...refusals(...refused, 'conversation_not_found', 'conversation_busy') },
});

/** `POST /v1/turns` and `POST /v1/conversations/:id/turns`. */
export function createTurnRoutes(context: ApiContext) {
  return makeRouter().openapi(oneShot, startOneShot(context)).openapi(inConversation, startInConversation(context));
}

/** What it was given becomes the standing configuration of the new conversation. */
function startOneShot(context: ApiContext): RouteHandler<typeof oneShot, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const standing = standingOf(body);
    const config = await resolveConfig(standing, { ...context, project });
    const taken = await takeInput(context, { project, config, input: body.input });
    const start = { project, conversationId: newId('conv'), config, taken, request: body };
    const made = await withIdempotencyKey(c, context, startingConversation(start, { config: standing, metadata: {} }));
    return c.json(await accept(c, context, made), 202);
  };
}

function startInConversation(context: ApiContext): RouteHandler<typeof inConversation, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const conversation = await findOwnConversation(context.db, project, c.req.valid('param').id);
    const config = await resolveConfig(mergeConfig(conversation.config, standingOf(body)), { ...context, project });
    const taken = await takeInput(context, { project, config, input: body.input });
    const start = { project, conversationId: conversation.id, config, taken, request: body };
    const made = await withIdempotencyKey(c, context, { together: (trx) => startTurn(trx, start) });
    return c.json(await accept(c, context, made), 202);
  };
}

async function accept(c: Context<ApiEnv>, context: ApiContext, made: Made | Started) {
  const isNew = 'turn' in made;
  if (isNew) await publishChanges(context, { wakeups: made.wakeups, ended: made.interrupted });
  const turn = isNew ? made.turn : await findOwnTurn(context.db, c.get('project'), made.resourceId);
  c.header('Location', `/v1/turns/${turn.id}`);
  setPollAfter(c, turn);
  return presentTurn(turn);
}

function standingOf({ input, metadata, on_active_turn, priority, ...config }: TurnRequest): StandingConfig {
  return config;
}
