import { createRoute, type RouteHandler } from '@hono/zod-openapi';
import { createConversation } from '#core/checkpoint/create-conversation.ts';
import type { Trx } from '#core/checkpoint/database.ts';
import { findFirstTurn } from '#core/checkpoint/find-first-turn.ts';
import { newId } from '#core/id.ts';
import { presentTurn } from '#core/turn/present-turn.ts';
import { ConversationRequest, type StandingConfig } from '#core/turn/turn-request.ts';
import { announce } from '../announce.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { idempotently, type Made } from '../idempotently.ts';
import { json, makeRouter } from '../make-router.ts';
import { setPollAfter } from '../poll-after.ts';
import { presentConversation } from '../present-conversation.ts';
import { checkStanding, resolveConfig } from '../resolve-config.ts';
import { Conversation } from '../schemas/conversation.ts';
import { refusals } from '../schemas/refusals.ts';
import { type Started, startTurn } from '../start-turn.ts';

const create = createRoute({
  method: 'post',
  path: '/v1/conversations',
  summary: 'Create a conversation; with `input`, also start its first turn',
  request: { body: { required: true, content: json(ConversationRequest) } },
  responses: {
    201: { description: 'Created', content: json(Conversation) },
    202: { description: 'Created, and its first turn started', content: json(Conversation) },
    ...refusals,
  },
});

/** `POST /v1/conversations`. */
export function createConversationRoute(context: ApiContext) {
  return makeRouter().openapi(create, handler(context));
}

function handler(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    checkStanding(standingOf(body), context);

    const made = await idempotently(c, context, (trx) => make(trx, { project, body, context }));
    if ('rings' in made) await announce(context, made);

    c.header('Location', `/v1/conversations/${made.resourceId}`);
    const conversation = presentConversation(await findOwnConversation(context.db, project, made.resourceId));
    if (made.status === 201) return c.json(conversation, 201);
    const turn = await findFirstTurn(context.db, made.resourceId);
    if (turn) setPollAfter(c, turn);
    return c.json({ ...conversation, ...(turn && { turn: presentTurn(turn) }) }, 202);
  };
}

type Making = { project: string; body: ConversationRequest; context: ApiContext };

async function make(trx: Trx, { project, body, context }: Making): Promise<Made | (Made & Pick<Started, 'rings'>)> {
  const id = newId('conv');
  const config = standingOf(body);
  await createConversation(trx, { id, project, config, metadata: body.metadata ?? {} });
  if (!body.input) return { status: 201, resourceId: id };

  const request = { input: body.input, on_active_turn: body.on_active_turn, priority: body.priority };
  const { rings } = await startTurn(trx, {
    project,
    conversationId: id,
    config: resolveConfig(config, context),
    request,
  });
  return { status: 202, resourceId: id, rings };
}

function standingOf({ input, metadata, on_active_turn, priority, ...config }: ConversationRequest): StandingConfig {
  return config;
}
