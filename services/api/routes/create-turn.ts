import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createConversation } from '#core/checkpoint/create-conversation.ts';
import { newId } from '#core/id.ts';
import { presentTurn } from '#core/turn/present-turn.ts';
import { type StandingConfig, TurnRequest } from '#core/turn/turn-request.ts';
import { announce } from '../announce.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation, findOwnTurn } from '../find-own.ts';
import { idempotently, type Made } from '../idempotently.ts';
import { json, makeRouter } from '../make-router.ts';
import { setPollAfter } from '../poll-after.ts';
import { mergeConfig, resolveConfig } from '../resolve-config.ts';
import { refusals } from '../schemas/refusals.ts';
import { Turn } from '../schemas/turn.ts';
import { type Started, startTurn } from '../start-turn.ts';

const request = { body: { required: true, content: json(TurnRequest) } } as const;
const responses = { 202: { description: 'Started; `Location` says where to poll', content: json(Turn) }, ...refusals };

const oneShot = createRoute({
  method: 'post',
  path: '/v1/turns',
  summary: 'Start a turn in a new conversation',
  request,
  responses,
});

const inConversation = createRoute({
  method: 'post',
  path: '/v1/conversations/{id}/turns',
  summary: 'Start a turn in a conversation',
  request: { ...request, params: z.object({ id: z.string() }) },
  responses,
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
    const config = resolveConfig(standing, context);
    const made = await idempotently(c, context, async (trx) => {
      const conversationId = newId('conv');
      await createConversation(trx, { id: conversationId, project, config: standing, metadata: {} });
      return startTurn(trx, { project, conversationId, config, request: body });
    });
    return c.json(await accept(c, context, made), 202);
  };
}

function startInConversation(context: ApiContext): RouteHandler<typeof inConversation, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const conversation = await findOwnConversation(context.db, project, c.req.valid('param').id);
    const config = resolveConfig(mergeConfig(conversation.config, standingOf(body)), context);
    const made = await idempotently(c, context, (trx) =>
      startTurn(trx, { project, conversationId: conversation.id, config, request: body }),
    );
    return c.json(await accept(c, context, made), 202);
  };
}

async function accept(c: Context<ApiEnv>, context: ApiContext, made: Made | Started) {
  if ('rings' in made) await announce(context, { rings: made.rings, ended: made.interrupted });
  const turn = await findOwnTurn(context.db, c.get('project'), made.resourceId);
  c.header('Location', `/v1/turns/${turn.id}`);
  setPollAfter(c, turn);
  return presentTurn(turn);
}

function standingOf({ input, metadata, on_active_turn, priority, ...config }: TurnRequest): StandingConfig {
  return config;
}
